import { expect, test } from 'bun:test'
import { pageRows } from '../../../src/cli/screen/page-rows.ts'
import { plainText } from '../../../src/cli/screen/span.ts'

const shown = (markup: 'markdown' | 'rst' | 'text', text: string) =>
  pageRows({ markup, text }, 24).map(({ spans, at }) => `${at} ${plainText(spans)}`)

test('renders Markdown at the width with source lines', () => {
  expect(shown('markdown', '## A\n*one* two three four five six\n\n- b')).toEqual([
    '1 ## A',
    '1 ',
    '2 one two three four five',
    '2 six',
    '3 ',
    '4 • b',
  ])
})

test('prints other markup verbatim, however wide', () => {
  const text = 'A *b*\n=====\n\n.. note:: one two three four five six\n'
  for (const markup of ['rst', 'text'] as const) {
    const rows = ['1 A *b*', '2 =====', '3 ', '4 .. note:: one two three four five six']
    expect(shown(markup, text)).toEqual(rows)
  }
})
