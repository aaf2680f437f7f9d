import { expect, test } from 'bun:test'
import { blockMark, joinBlocks, lineMark } from '../../../src/formats/html/markdown-table.ts'
import { attributeOf, HtmlTags, textOfHtml } from '../../../src/formats/html/markdown-tag.ts'
import { withoutHtml } from '../../../src/formats/markdown/markdown-html.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

function check(text: string, expected: string): void {
  expect(withoutHtml(text)).toBe(expected)
}

function same(text: string): void {
  check(text, text)
}

test('converts tables of HTML, with links, line breaks, bars and spans', () => {
  check(
    'a\n<table>\n  <thead><tr><th>Name</th><th>Type</th></tr></thead>\n  <tbody>\n    <tr>\n' +
      '      <td><a href="#s">s</a></td>\n      <td>\n        x<br/>\n        y | z\n      </td>\n' +
      '    </tr><tr><td rowspan="2">k</td><td>1</td></tr>\n    <tr><td>2</td></tr>\n' +
      '    <tr><td colspan=2>w\n    </tbody>\n</table>\nb\n',
    'a\n\n| Name | Type |\n|---|---|\n| [s](#s) | x<br>y \\| z |\n| k | 1 |\n|  | 2 |\n| w |  |\n\nb\n',
  )
  check('<table><tr><td>a</td><td>b</td></tr></table>', '|  |  |\n|---|---|\n| a | b |')
})

test('turns a table that only arranges blocks into those blocks', () => {
  check(
    '<table><tr><th>A</th><th>B</th></tr><tr><td>\n<table><tr><th>x</th></tr></table>\n</td><td>\n\n' +
      '```sh\n<p>\n```\n\n</td></tr></table>\n',
    'A\n\nB\n\n| x |\n|---|\n\n```sh\n<p>\n```\n',
  )
})

test('converts headings, lists, paragraphs and cards', () => {
  check(
    '<div class="grid">\n    <h3 class="q" id="apps">For <b>apps</b></h3>\n    <p>text</p>\n' +
      '    <ul>\n      <li>One</li>\n      <li>Two\n        <ol><li>inner</li></ol>\n      </li>\n' +
      '    </ul>\n</div>\nafter\n',
    '### For **apps** {#apps}\n\ntext\n\n- One\n- Two\n  1. inner\n\nafter\n',
  )
  check('<a href="./view">\n  <h3>View</h3>\n  <p>It.</p>\n</a>\n', '### [View](./view)\n\nIt.\n')
  check('<dl><dt>a</dt><dd>b</dd></dl>\n', '**a**\nb\n')
})

test('shows the summary of details as the title of a box', () => {
  check(
    '<details open>\n<summary><h4>More</h4></summary>\n\n`<a>`\n\n</details>\n\nb\n',
    '**More**\t\n\n`<a>`\n\t\nb\n',
  )
})

test('converts inline elements and removes tags that only style their text', () => {
  check(
    '<span class="x">Filename: a</span> <kbd>C</kbd>, 2<sup>7</sup>, <i>a</i> <font>b</font><a name="q"></a>',
    'Filename: a `C`, 2^7, *a* b',
  )
  check('<code>!Unpin for <em>T</em> &vert; &lt;x></code>', '`!Unpin for T | <x>`')
  check(
    '<p align="center">\n  <a\n    href="u"><img src="l.svg" alt="Logo"></a>\n</p>\n',
    '[![Logo](l.svg)](u)\n',
  )
  check('a<br>\nb <img src="data:x" alt="c">', 'a\nb c')
  check(
    '<pre><code class="language-js">a &lt; 1\n\n<b>x</b></code></pre>\n',
    '```js\na < 1\n\nx\n```\n',
  )
})

test('removes drawings, style sheets and hidden elements', () => {
  check('a\n<svg><text>b</text></svg>\n<style>\nc {}\n</style>\nd\n', 'a\n\nd\n')
  check('a\n\n<div style="display:none">\n```py\nb\n```\n</div>\n\nc\n', 'a\n\nc\n')
})

test('keeps a row, a heading and a quote of Markdown in one line', () => {
  check('| <ul><li>a</li></ul> | <code>b|c</code> | d<br/>e |', '| <br>- a | `b\\|c` | d<br>e |')
  check('# A <small>b</small>\n> <p>c</p>\n', '# A b\n> c\n')
})

test('decodes entities, and escapes the result if Markdown would read it as markup', () => {
  check(
    'a&nbsp;b &rarr; &#x2705; &#42;c&#42; &lt;T&gt; 1 &lt; 2 &AMP &unknown;',
    'a b → ✅ \\*c\\* \\<T> 1 < 2 &AMP &unknown;',
  )
})

test('keeps code, placeholders, types and escaped tags', () => {
  same(
    '```html\n<div>&nbsp;</div>\n```\n\n    <p>&lt;</p>\n\n`<b>&amp;</b>`, \\<div>, Vec<T>, <T>x</T>\n',
  )
  same('scp <source> <label>, List<i>, <version>, <https://a.example>, a < b <\n')
  check('<div>\n\n```\n<p>\n```\n\n</div>\n', '```\n<p>\n```\n')
  check(
    '!!! note\n    <b>a</b>\n\n    ```\n    <b>\n    ```\n',
    '!!! note\n    **a**\n\n    ```\n    <b>\n    ```\n',
  )
})

test('keeps the text of elements that are not closed', () => {
  check('<b>a\n\n<a href="x">b\n\n</p>c</i></b>\n<table><tr><td>d', 'a\n\nb\n\n</p>c</i>\nd')
})

test('reads tags with quoted, bare and computed attributes', () => {
  const source = '<img src="a>b.png" width=3 style={{ a: "}" }} alt=\'x &amp; y\' />'
  const tag = new HtmlTags(source).tagAt(0)!
  expect([tag.name, tag.isAlone, tag.end]).toEqual(['img', true, source.length])
  expect(['src', 'width', 'style', 'alt', 'id'].map((name) => attributeOf(tag, name))).toEqual([
    'a>b.png',
    '3',
    '',
    'x & y',
    '',
  ])
  expect(textOfHtml('a <b>b</b> &lt;')).toBe('a b <')
})

test('joins blocks with one blank line, and lines with none', () => {
  expect(joinBlocks(`a\n\n\n${blockMark}\n  \nb${lineMark}\n\nc\n\n\nd`)).toBe('a\n\nb\nc\n\n\nd')
})

test('takes linear time for hostile markup', () => {
  const started = usedCpuMs()
  for (const piece of ['<a "', '<b>', '<table><tr><td>', '<ul><li>', '<svg>', '<b>\n\n', '<p {']) {
    withoutHtml(piece.repeat(20_000))
  }
  withoutHtml(`${'<code>x'.repeat(100_000)}</code>`)
  expect(usedCpuMs() - started).toBeLessThan(20_000)
})

test('escapes pipes in the cells of an HTML table, and knows the rows of pipe tables', () => {
  check(
    '<table>\n<tr><th>a</th></tr>\n<tr>\n<td>`x | y`</td>\n</tr>\n</table>',
    '| a |\n|---|\n| `x \\| y` |',
  )
  check('<pre>a | b\nc</pre>', '```\na | b\nc\n```')
  check('a | b\n--- | ---\nc | d\ne | x<br>y', 'a | b\n--- | ---\nc | d\ne | x<br>y')
  check('e | x<br>y', 'e | x\ny')
})

test('converts blocks of HTML within a quote', () => {
  check(
    'a\n\n> <table>\n> <tr><th>b</th></tr>\n> <tr><td>x | y</td></tr>\n> </table>\n\nc\n',
    'a\n\n> | b |\n> |---|\n> | x \\| y |\n\nc\n',
  )
  check('> > <ul>\n> > <li>a</li>\n> > </ul>\n', '> > - a\n')
})

test('keeps the targets of videos, frames and sounds', () => {
  check(
    'See <iframe src="https://v.org/a" title="Tour"></iframe> a',
    'See [Tour](https://v.org/a) a',
  )
  check('See <video controls><source src="x/a.mp4"></video> a', 'See [a.mp4](x/a.mp4) a')
  check('See <picture><source srcset="b.png"><img src="a.png"></picture>', 'See ![](a.png)')
})

test('leaves the rows below a cell of all rows empty', () => {
  check(
    '<table><tr><th>A<th>B</tr><tr><td rowspan=0>1<td>2</tr><tr><td>3</tr></table>',
    '| A | B |\n|---|---|\n| 1 | 2 |\n|  | 3 |',
  )
})
