import { expect, test } from 'bun:test'
import { markdownHeadings } from '../../src/document/headings.ts'

/** Compares headings as `level title #anchor`, and the source text of each. */
function check(text: string, expected: [string, string][]) {
  const shown = markdownHeadings(text).map(({ level, title, anchor, offset, end }) => [
    `${level} ${title}${anchor === undefined ? '' : ` #${anchor}`}`,
    text.slice(offset, end),
  ])
  expect(shown).toEqual(expected)
}
const titles = (text: string) => markdownHeadings(text).map(({ title }) => title)
const none = (text: string) => expect(titles(text)).toEqual([])

test('returns the exact range of a heading, line breaks included', () => {
  check('a\n\n## B ##\nc', [['2 B', '## B ##\n']])
  check('# A', [['1 A', '# A']])
  check('One\ntwo\n---\nx', [['2 One two', 'One\ntwo\n---\n']])
  check('x\n\n<h2>\n A\n</h2> y\nz', [['2 A', '<h2>\n A\n</h2> y\n']])
  check('# A\r\n\r\nB\r\n===\r\n', [
    ['1 A', '# A\r\n'],
    ['1 B', 'B\r\n===\r\n'],
  ])
})

test('ignores lines that only resemble ATX headings', () => {
  none('#a\n####### a\n    # a\n\t# a\n\\# a\n#\n## ##\n> # a\n- # a\n')
  expect(titles('#\ta\n   # b\nc\n# d #e\n# F#\n')).toEqual(['a', 'b', 'd #e', 'F#'])
})

test('accepts an underline below a paragraph of at most three lines', () => {
  expect(titles('a\nb\nc\n===\n')).toEqual(['a b c'])
  none('a\nb\nc\nd\n===\n')
  none('a\n\n===\n')
  none('a\n=-=\n')
  none('a\n    ---\n')
  none('---\n---\n')
  none('    code\n---\n')
})

test('ignores underlines below lists, quotes, tables, tags and containers', () => {
  for (const line of [
    '- a',
    '1. a',
    '> a',
    '| a |',
    '<b>',
    '::: tip',
    '/// tip',
    '!!! note',
    '{% if a %}',
    '{* a *}',
    '{{< a',
  ]) {
    expect([line, titles(`${line}\n---\n`)]).toEqual([line, []])
  }
  none('a\n- b\n---\n')
  none('* * *\n---\n')
})

test('ignores invalid front matter left in the text', () => {
  none('---\ntitle: a: b\n---\n')
  none('---\n\ntitle: a: b\n---\n')
  for (const before of ['', 'text\n\n', '---\n\ntext\n\n']) {
    expect(titles(`${before}note: a\n---\n`)).toEqual(['note: a'])
  }
})

test('ignores code, comments and verbatim HTML', () => {
  none('```\n# a\n```\n~~~\nb\n---\n~~~\n')
  none('<!-- a\n# b\n-->\n<script>\n# c\n</script>\n<style>\n# d\n</style>\n{/* \n# e\n*/}\n')
  none('<PRE class="x">\n# a\n</PRE>\n')
  none('<pre>\n# a\n</Pre>\n')
  expect(titles('<pre>a</pre>\n# b\n')).toEqual(['b'])
  expect(titles('<!-- a -->\n# b\n')).toEqual(['b'])
  expect(titles('<preview>\n# b\n')).toEqual(['b'])
  expect(titles('a <!-- b\n# c\n-->\n')).toEqual(['c'])
})

test('keeps the text after unclosed tags and comments, even after a thousand', () => {
  expect(titles(`${'<pre>\n<!--\n{/*\n'.repeat(1000)}# a\n`)).toEqual(['a'])
})

test('accepts an HTML heading that is closed soon and without a blank line', () => {
  check('<H3 class="b" id=\'x\'>a <b>b</b></H3>\n', [
    ['3 a b #x', '<H3 class="b" id=\'x\'>a <b>b</b></H3>\n'],
  ])
  expect(markdownHeadings('<h1>\n# a\n</h1>\n')).toHaveLength(1)
  expect(titles('<h1><img src="x" alt="Logo"></h1>\n')).toEqual(['Logo'])
  none('<h1>a\n\nb</h1>\n')
  none('<h1>a</h2>\n')
  none(`<h1>${'a'.repeat(2000)}</h1>\n`)
  none('<h7>a</h7>\n')
  none('<h1></h1>\n')
})

test('reduces titles to plain text, and reads their anchor from the attribute list', () => {
  check('# `a` **b** [c](d) {#e .f}\n', [['1 a b c #e', '# `a` **b** [c](d) {#e .f}\n']])
  check('A \\{: #b}\n---\n', [['2 A #b', 'A \\{: #b}\n---\n']])
  expect(markdownHeadings('# a {b}\n# c {x=1}\n# d {.e}\n')).toMatchObject([
    { title: 'a {b}' },
    { title: 'c' },
    { title: 'd' },
  ])
})

test('leaves a line above a title out of the title', () => {
  check('=====\nKettle\n=====\n\nIt boils.', [['1 Kettle', '=====\nKettle\n=====\n']])
  check('a=b\nKettle\n=====\n', [['1 a=b Kettle', 'a=b\nKettle\n=====\n']])
})
