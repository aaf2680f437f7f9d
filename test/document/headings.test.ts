import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { rstHeadings } from '../../src/formats/rst/rst.ts'
import { cpuMs } from '../support/pages/cpu-time.ts'
import { headings, type Heading } from '../../src/document/headings.ts'

/** Compares headings as `level title #anchor`. */
function check(found: readonly Heading[], expected: string[]): void {
  expect(
    found.map(({ level, title, anchor }) => `${level} ${title}${anchor ? ` #${anchor}` : ''}`),
  ).toEqual(expected)
}

const markdownOf = (text: string) => headings(text, 'markdown')
const markdown = (text: string, expected: string[]) => check(markdownOf(text), expected)
const rst = (text: string, expected: string[]) => check(rstHeadings(text), expected)

test('finds ATX headings', () => {
  markdown('# One\n## Two ##\n   ### Three #\n#No\n####### No\n    # code\n\t# code\n', [
    '1 One',
    '2 Two',
    '3 Three',
  ])
  markdown('# C#\n## Using F# ##\n#\n### ###\n', ['1 C#', '2 Using F#'])
  markdown('text\n# Interrupts a paragraph', ['1 Interrupts a paragraph'])
})

test('shows a picture in a link as its text', () => {
  markdown('# [![Lamp](a.svg)](https://x.example) &amp; [b](c)\n', ['1 Lamp & b'])
  markdown('# A [[b\\C::d()|d()]] of [[b\\C]]\n', ['1 A d() of b\\C'])
})

test('finds setext headings', () => {
  markdown('One\n===\n\nTwo\nlines\n---\n\n---\n\n- item\n---\n\n> quote\n---\n', [
    '1 One',
    '2 Two lines',
  ])
  markdown('| a |\n---\n\n- a\nlazy\n---\n\na\nb\nc\nd\n---\n', [])
})

test('includes the paragraph and its underline in the range of a setext heading', () => {
  const text = 'before\n\nA\nB\n---\nafter\n'
  const [heading] = headings(text, 'markdown')
  expect(text.slice(heading?.offset, heading?.end)).toBe('A\nB\n---\n')
})

test('finds no heading inside a fence', () => {
  markdown('```sh\n# no\n~~~\n```\n# yes\n', ['1 yes'])
  markdown('````\n```\n# no\n```\n# no\n````\n# yes\n', ['1 yes'])
  markdown('~~~ a ` b\n# no\n~~~~~\n# yes\n', ['1 yes'])
  markdown('``` a ` b\n# yes\n', ['1 yes'])
  markdown('```\n# no, unclosed\n', [])
  markdown('1. ```sh\n   # no\n   ```\n\n# yes\n', ['1 yes'])
  markdown('   ```\n   # no\n    ```\n# yes\n', ['1 yes'])
})

test('finds no heading inside comments or verbatim HTML', () => {
  markdown('<!--\n# no\n-->\n# yes\n<!-- a --> \n## yes\n', ['1 yes', '2 yes'])
  markdown('{/*\n# no\n*/}\n<pre>\n# no\n</pre>\n# yes\n', ['1 yes'])
  markdown('<!-- never closed\n# yes\n', ['1 yes'])
})

test('finds no heading in the indented content of a MkDocs admonition', () => {
  markdown('!!! note\n\n    # no\n\n    Title\n    -----\n', [])
})

test('finds HTML headings and their ids', () => {
  markdown(
    '<h1 align="center" id="top">\n  <img src="x.png" alt="Kettle">\n</h1>\n\n<h2>Two</h2>\n',
    ['1 Kettle #top', '2 Two'],
  )
})

test('removes Markdown from titles', () => {
  markdown('# The `__init__` of [a *link*](http://x/(y) "t") and **bold** <b>x</b>\n', [
    '1 The __init__ of a link and bold x',
  ])
  markdown('# snake_case_name, 2 * 3 * 4, Array<string> \\_x\\_ _em_ &amp; &#39;q&#39;\n', [
    "1 snake_case_name, 2 * 3 * 4, Array<string> _x_ em & 'q'",
  ])
  markdown('# `a[b](c)` ![logo](l.svg) [ref][r] [optional]\n', ['1 a[b](c) logo ref [optional]'])
})

test('reads anchors from attribute lists', () => {
  markdown('# Title { #the-title }\n## A {#a .b}\n## B {: #c}\n## C {.d}\n## D {x}\n', [
    '1 Title #the-title',
    '2 A #a',
    '2 B #c',
    '2 C',
    '2 D {x}',
  ])
})

test('assigns rst levels in the order in which adornments appear', () => {
  rst('=====\nTitle\n=====\n\nOne\n===\n\nTwo\n---\n\nOne again\n=========\n\nDeep\n~~~~\n', [
    '1 Title',
    '2 One',
    '3 Two',
    '2 One again',
    '4 Deep',
  ])
})

test('starts the range of an rst heading at its overline', () => {
  const text = 'text\n\n=====\n Abc\n=====\nmore\n'
  const [heading] = rstHeadings(text)
  expect(text.slice(heading?.offset, heading?.end)).toBe('=====\n Abc\n=====\n')
})

test('accepts the same rst underlines as docutils', () => {
  rst('Too short here\n====\n\nToo short\n==\n\nAB\n==\n', ['1 Too short here', '1 AB'])
  rst('.. _label:\nTitle\n=====\n', ['1 Title'])
  rst('a paragraph\nwhose last line\n---------------\n', [])
  rst('::\n\n   Code\n   ====\n\ntext\n\n----\n\ntext\n', [])
  rst('- item\n------\n\n:field: x\n---------\n\n.. note:: a\n===========\n', [])
  rst('=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n', [])
})

test('removes rst markup from titles', () => {
  rst(':class:`~a.b.Kettle` and ``x = *y*`` of `Site <http://x>`_ **b** |s|\n' + '='.repeat(80), [
    '1 Kettle and x = *y* of Site b s',
  ])
  rst('``a`` or ``b[]`` names_\n=======================\n', ['1 a or b[] names'])
})

test('finds no headings in plain text', () => check(headings('# a\n\nb\n===\n', 'text'), []))

const line = fc.oneof(
  fc.constantFrom(
    '',
    '# a',
    '## b #',
    '```',
    '````sh',
    '~~~',
    '<!--',
    '-->',
    '---',
    '===',
    '    x',
    '- ```',
    '> # q',
    '.. note::',
    '   indented',
    '<h2>',
    '</h2>',
    '# {#a}',
    'Title',
    '====',
    '\t',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)
const anyText = fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n'))

test('returns headings in order, without overlap, within the text and on separate lines', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom(markdownOf, rstHeadings), (text, headingsOf) => {
      let before = 0
      for (const { offset, end, level, title } of headingsOf(text)) {
        expect(offset).toBeGreaterThanOrEqual(before)
        expect(end).toBeGreaterThan(offset)
        expect(end).toBeLessThanOrEqual(text.length)
        expect(level).toBeGreaterThanOrEqual(1)
        expect(title).not.toBe('')
        expect(offset === 0 || text[offset - 1] === '\n').toBe(true)
        expect(end === text.length || text[end - 1] === '\n').toBe(true)
        before = end
      }
    }),
    { numRuns: 500 },
  )
})

test("takes time linear in the text's length", () => {
  const parts = [
    '#',
    '# ',
    '`',
    '```\n',
    '<!--\n',
    '<h1>\n',
    '<pre>\n',
    '- ',
    'a\n---\n',
    '[a](',
    ' ',
  ]
  const adorned = ['=', '==\n', '`~', '|a', 'ab\n==\n\n']
  const spentMs = cpuMs(() => {
    for (const part of parts) headings(part.repeat(100_000 / part.length), 'markdown')
    for (const part of adorned) rstHeadings(part.repeat(100_000 / part.length))
  })
  expect(spentMs).toBeLessThan(10_000)
})
