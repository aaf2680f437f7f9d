import { expect, test } from 'bun:test'
import { firstProse } from '../../src/page/description.ts'
import { headings, type Markup } from '../../src/document/headings.ts'
import { checkGrowth } from '../support/pages/check-growth.ts'

function check(markup: Markup, text: string, expected: string): void {
  expect(firstProse(text, { markup, headings: headings(text, markup) })).toBe(expected)
}

test('describes a Markdown page by its first paragraph, without markup', () => {
  check('markdown', '# A\nSome **prose** of\n[it](x).\n\nMore.\n', 'Some prose of it.')
  for (const other of [
    '- a list',
    '> a quote',
    '<!-- a comment -->',
    '{/* a comment of MDX */}',
    '    some code',
    '```\nsome code\n```',
    '<p>some html',
    '| a | b |\n|---|---|',
    '!!! note "of it"',
    '::: tip\n',
    '<!-- a comment\n\nof two -->',
    '[a label]: x',
    'import a from "b"',
    '---',
    '1. a list',
  ]) {
    check('markdown', `${other}\n\nSome prose.\n`, 'Some prose.')
  }
})

test('W-12: finds headings and prose after a rule at the start of a page', () => {
  check('markdown', '---\n\n# A\n\nSome prose.\n\n---\n', 'Some prose.')
})

test('describes plain text by its first paragraph', () => {
  check('text', '*****\n\n  an indented line\n\nWords as *they* are.\n', 'Words as *they* are.')
})

test('returns an empty description for a page without prose, and truncates a long one at 200 characters', () => {
  check('markdown', '# A\n\nword\n\n- b c d\n', '')
  check('text', '', '')
  check('text', 'word '.repeat(100), `${'word '.repeat(38)}word…`)
})

test('searches a long line of backticks for a fence in linear time', () =>
  checkGrowth(
    (length) => `${'`'.repeat(length)} x`,
    (text) => firstProse(text, { markup: 'markdown', headings: [] }),
  ))
