import { expect, test } from 'bun:test'
import { widenToExcerpt } from '../../../src/search/excerpt/excerpt.ts'
import { showsRange, mergeExcerpts } from '../../../src/search/excerpt/excerpt-range.ts'
import { excerptLines, excerptText } from '../../../src/search/excerpt/excerpt-text.ts'
import { outlinePage, sectionsOf } from '../../../src/search/excerpt/outline.ts'
import type { Markup } from '../../../src/document/headings.ts'

const sentence = 'Some words that fill a line of this page so that it grows.\n'
const paragraph = `${sentence.repeat(10)}\n`
const rows = (n: number) =>
  Array.from({ length: n }, (_, i) => `| row ${i} | ${'x'.repeat(60)} |\n`)

/** Removes two marks from the text; returns the range between them and the remaining text. */
function marked(source: string) {
  const [before, range, after] = source.split('@@')
  const start = before!.length
  const text = `${before}${range}${after}`
  return { text, range: { start, end: start + range!.length } }
}

function check(source: string, expected: string, options: { markup?: Markup } = {}) {
  const { text, range } = marked(source)
  const outline = outlinePage({ text, markup: options.markup ?? 'markdown' })
  const excerpt = widenToExcerpt(outline, range)
  expect(excerptText(outline, excerpt)).toBe(expected.trimEnd())
  return excerptLines(outline, excerpt)
}

test('shows a short section whole, with its heading', () => {
  const lines = check(
    '# A\n\nfirst\n\n## B\n\none\n\n@@two@@\n\nthree\n\n## C\n\nrest\n',
    '## B\n\none\n\ntwo\n\nthree',
  )
  expect(lines).toEqual([5, 11])
})

test('shows a chunk of several sections unchanged', () => {
  check('# A\n\n@@## B\n\none\n\n## C\n\ntwo\n\n@@## D\n\nthree\n', '## B\n\none\n\n## C\n\ntwo')
})

test('shows whole paragraphs of a long section below its heading', () => {
  const body = paragraph.repeat(6)
  const lines = check(
    `## B\n\n${body}Begin ${sentence}and @@here@@ ${sentence}\n${body}`,
    `## B\n\n[…]\n\nBegin ${sentence}and here ${sentence}`,
  )
  expect(lines).toEqual([69, 70])
})

test('shows the signature of a name above a later part of its section', () => {
  const head = '## `lamp.on`\n\n```py\ndef on(level=1)\n```\n\n'
  const body = paragraph.repeat(6)
  check(
    `${head}${body}Begin ${sentence}and @@here@@ ${sentence}\n${body}`,
    `${head}[…]\n\nBegin ${sentence}and here ${sentence}`,
  )
})

test('never cuts a code block or separates it from its lead-in', () => {
  const code = '```py\na = 1\n@@b = 2@@\nc = 3\n```\n\n'
  check(
    `## B\n\n${paragraph.repeat(6)}For example:\n\n${code}${paragraph.repeat(6)}`,
    '## B\n\n[…]\n\nFor example:\n\n```py\na = 1\nb = 2\nc = 3\n```',
  )
})

test('shows part of a code block that is too long, between its fences', () => {
  const many = Array.from({ length: 200 }, (_, i) => `line_${i} = ${'y'.repeat(30)}\n`)
  const source = `${many.slice(0, 99).join('')}@@${many[99]}${many[100]}@@${many.slice(101).join('')}`
  check(
    `## B\n\nIntro.\n\n\`\`\`py\n${source}\`\`\`\n`,
    `## B\n\nIntro.\n\n\`\`\`py\n[…]\n${many[99]}${many[100]}[…]\n\`\`\``,
  )
})

test('shows a list with the paragraph that introduces it, and that paragraph with its list', () => {
  const list = '- one\n- @@two@@\n- three\n\n'
  const long = paragraph.repeat(6)
  check(
    `## B\n\n${long}The choices are\n\n${list}${long}`,
    '## B\n\n[…]\n\nThe choices are\n\n- one\n- two\n- three',
  )
  check(
    `## B\n\n${long}The @@choices@@ are:\n\n${list.replaceAll('@@', '')}${long}`,
    '## B\n\n[…]\n\nThe choices are:\n\n- one\n- two\n- three',
  )
})

test('shows whole items of a long list, and whole rows of a long table below its header', () => {
  const items = Array.from({ length: 80 }, (_, i) => `${i}. step ${i}\n   ${sentence}`)
  const list = `${items.slice(0, 40).join('')}${items[40]!.replace('step', '@@step@@')}`
  check(
    `## B\n\nSteps:\n\n${list}${items.slice(41).join('')}`,
    `## B\n\nSteps:\n\n[…]\n\n${items[40]}`,
  )
  const many = rows(90)
  const table = `${many.slice(0, 50).join('')}@@${many[50]}@@${many.slice(51).join('')}`
  check(`## B\n\n| a | b |\n|---|---|\n${table}`, `## B\n\n| a | b |\n|---|---|\n[…]\n${many[50]}`)
})

test('includes the short rest of a section', () => {
  const long = paragraph.repeat(6)
  check(`## B\n\nlittle\n\n@@${long}@@last\n`, `## B\n\nlittle\n\n${long}last`)
})

test('falls back to lines if a text has no headings or blocks', () => {
  const long = sentence.repeat(200)
  check(`${long}@@here@@ it is\n${long}`, 'here it is', { markup: 'text' })
})

test('returns an empty excerpt for a blank range', () => {
  check('# A\n\n@@\n\n@@', '')
})

function twoOf(source: string, sizes: [number, number][]) {
  const outline = outlinePage({ text: source, markup: 'markdown' })
  const [a, b] = sizes.map(([start, end]) => widenToExcerpt(outline, { start, end }))
  return { outline, a: a!, b: b!, both: mergeExcerpts(outline, a!, b!) }
}

test('joins adjacent excerpts in any order', () => {
  const text = '# A\n\n## B\n\none\n\n## C\n\ntwo\n\n## D\n\nthree\n'
  const at = (word: string): [number, number] => [text.indexOf(word), text.indexOf(word) + 3]
  const { outline, both } = twoOf(text, [at('two'), at('one')])
  expect(excerptText(outline, both!)).toBe('## B\n\none\n\n## C\n\ntwo')
  expect(twoOf(text, [at('one'), at('thr')]).both).toBeNull()
  const next = `# A\n\n## B\n\none\n\n## C\n\n${paragraph.repeat(4)}`
  expect(twoOf(next, [at('one'), [30, 2000]]).both).toBeNull()
})

test('joins parts of one section over a gap unless they are too long', () => {
  const text = `## B\n\n${paragraph}Here one.\n\n${paragraph.repeat(4)}Here two.\n\n${paragraph}`
  const at = (word: string): [number, number] => [text.indexOf(word), text.indexOf(word) + 9]
  const { outline, a, b, both } = twoOf(text, [at('Here one.'), at('Here two.')])
  expect(excerptText(outline, both!)).toBe('## B\n\n[…]\n\nHere one.\n\n[…]\n\nHere two.')
  expect(sectionsOf(outline, [...a.ranges, ...b.ranges]).size).toBe(1)
  expect(showsRange(both!, a.ranges[0]!) && showsRange(both!, b.ranges[0]!)).toBe(true)
  expect(showsRange(a, b.ranges[0]!)).toBe(false)
  const long = `## B\n\n${paragraph.repeat(20)}`
  expect(
    twoOf(long, [
      [10, 3000],
      [6000, 9000],
    ]).both,
  ).toBeNull()
})
