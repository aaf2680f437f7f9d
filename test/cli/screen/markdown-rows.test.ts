import { expect, test } from 'bun:test'
import { markdownRows, pageRows } from '../../../src/cli/screen/markdown-rows.ts'
import { lineWidth, plainText } from '../../../src/cli/span.ts'

function check(text: string, expected: string, width = 30): void {
  const rows = markdownRows(text, width)
  expect(rows.map(({ spans }) => plainText(spans)).join('\n')).toBe(expected)
}

test('removes block markers and wraps at the width', () => {
  check('# A `b` {#c}\ntext\n\nNext\n----\n', '# A b\n\ntext\n\n## Next')
  check(
    'one two three four five six seven\nand **eight** more',
    'one two three four five six\nseven and eight more',
  )
  check(
    '- a *long* item that does not fit on one row\n  - inner\n1. first',
    '• a long item that does not\n  fit on one row\n  • inner\n1. first',
  )
  check('> quoted words that go on and on and on', '│ quoted words that go on and\n│ on and on')
  check('```py\nx = 1\n\n  y\n```\nafter', '  x = 1\n\n    y\nafter')
  check('a  \nb', 'a\nb')
  check(
    'see [the guide](guide.md), [site](https://e.org) and <https://f.org>',
    'see the guide, site (https://e.org) and https://f.org',
    80,
  )
  check(
    'snake_case_name, 2*3*4, \\*kept\\* and `**code**`',
    'snake_case_name, 2*3*4, *kept* and **code**',
    80,
  )
})

test('hides formatting HTML and shows the alt text of images', () => {
  check(
    '<h1 align="center">\n<img src="a.png"\n  alt="lamp logo" />\n</h1>\n\nLamps.',
    ' [lamp logo]\n\nLamps.',
  )
  check('<div class="a">\n\nLight <b>it</b>.\n\n</div>', 'Light it.')
  check('`<img alt="x">` and List<String>', '<img alt="x"> and List<String>', 60)
})

test('aligns a table, wraps its cells if it is too wide, and finally prints one cell per line', () => {
  const table = '| Option | Meaning |\n|---|---|\n| `--a` | one two three |\n| b \\| c | four |'
  check(table, 'Option  Meaning\n--a     one two three\nb | c   four')
  check(table, 'Option  Meaning\n--a     one two\n        three\nb | c   four', 20)
  const wide = `| A | B |\n|---|---|\n| ${'x'.repeat(15)} | ${'y'.repeat(15)} |`
  check(wide, `${'x'.repeat(15)}\n  b ${'y'.repeat(15)}`, 20)
})

test('wraps prose at the width without splitting words', () => {
  const words = Array.from({ length: 300 }, (_, i) => 'w'.repeat(1 + ((i * 7) % 12)))
  for (const width of [20, 37, 60, 100, 200]) {
    const rows = markdownRows(words.join(' '), width)
    expect(Math.max(...rows.map(({ spans }) => lineWidth(spans)))).toBeLessThanOrEqual(width)
    expect(rows.map(({ spans }) => plainText(spans)).join(' ')).toBe(words.join(' '))
  }
})

test('renders pasted text in linear time', () => {
  for (const piece of [
    '`',
    '[',
    '*',
    '_a',
    '**a',
    '![',
    '<a ',
    '|',
    '~~',
    '\\',
    '> ',
    '[a](',
    ' ',
    '- ',
    '-|',
    ':-',
  ]) {
    for (const length of [200_000, 3_900]) {
      const line = piece.repeat(length / piece.length)
      for (const text of [line, `${line}\n${line}`, `${line}\n---|---\n${line}`, ` ${line} x`]) {
        expect(markdownRows(text, 80).length).toBeLessThan(100_000)
      }
    }
  }
})

const shown = (markup: 'markdown' | 'text', text: string) =>
  pageRows({ markup, text }, 24).map(({ spans }) => plainText(spans))

test('renders Markdown at the width', () => {
  expect(shown('markdown', '## A\n*one* two three four five six\n\n- b')).toEqual([
    '## A',
    '',
    'one two three four five',
    'six',
    '',
    '• b',
  ])
})

test('prints plain text verbatim at any width', () => {
  const text = 'A *b*\n=====\n\n.. note:: one two three four five six\n'
  const rows = ['A *b*', '=====', '', '.. note:: one two three four five six']
  expect(shown('text', text)).toEqual(rows)
})
