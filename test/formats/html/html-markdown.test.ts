import { expect, test } from 'bun:test'
import { htmlToMarkdown } from '../../../src/formats/html/html-markdown.ts'
import { htmlElement } from '../../support/pages/html-element.ts'

const check = (body: string, expected: string) =>
  expect(htmlToMarkdown(htmlElement(body, 'body'))).toBe(`${expected}\n`)

test('separates blocks, joins inline text, and collapses spaces', () => {
  check('a\n  b<p>c</p>d <span>e</span>f<div>g</div>', 'a b\n\nc\n\nd ef\n\ng')
  check('', '')
  check('<p> </p><p>a</p><hr>', 'a\n\n---')
  check('a<br>b <br> c', 'a\nb\nc')
})

test('writes ATX headings on one line, without links to themselves', () => {
  check('<h1>A\n<br>b</h1><h6>C</h6><h2> </h2>', '# A b\n\n###### C')
  check('<h2><a href="#x">X</a> <a href="y#z">Y</a></h2>', '## X [Y](y#z)')
  check('<h2># C</h2>', '## # C')
})

test('escapes text that would open a block, and keeps punctuation within a line', () => {
  check(
    '<p>## a</p><p>a<br>---</p><p>~~~</p><p>&lt;!-- x</p><p>&lt;h1&gt; y</p>',
    '\\## a\n\na\n\\---\n\n\\~~~\n\n\\<!-- x\n\n\\<h1> y',
  )
  check('<p>snake_case *x* #tag [a] - b</p>', 'snake_case *x* #tag [a] - b')
})

test('nests lists, keeps their numbers, and indents the blocks in them', () => {
  check('<ul><li>a<ul><li>b</li></ul></li><li>c</li><li></li></ul>', '- a\n  - b\n- c')
  check('<ol start="9"><li>a</li><li>b<p>c</p></li></ol>', '9. a\n10. b\n\n    c')
  check('<ol start="0"><li>a</li><li>b</li></ol>', '0. a\n1. b')
  check('<ol start="x"><li>a</li></ol>', '1. a')
  check('<ol start="-3"><li>a</li></ol>', '1. a')
  check(
    '<ul><li><input type="checkbox" checked>a</li><li><input type="checkbox">b</li></ul>',
    '- [x] a\n- [ ] b',
  )
  check('<ul><li>a<pre>b\n\nc</pre></li></ul>', '- a\n\n  ```\n  b\n\n  c\n  ```')
})

test('puts emphasis marks around text only, not around spaces, blocks or nested marks', () => {
  check('a<b> b </b>c <em>d</em> <del>e</del>', 'a **b** c *d* ~~e~~')
  check('<b>a<b>b</b></b><i> </i>', 'a**b**')
  check('<b><p>a</p><p>b</p></b>', 'a\n\nb')
  check('<kbd>Ctrl</kbd>+<code>a`b</code>', '`Ctrl`+`` a`b ``')
})

test('keeps the targets of links, except scripts and data', () => {
  check('<a href=" x y ">a</a><a href="z"> b </a>c', '[a](x%20y) [b](z) c')
  check(
    '<a href="JavaScript:x">a</a> <a>b</a> <a href="data:x">c</a> <a href="#n" role="doc-noteref">1</a>',
    'a b c 1',
  )
  check('<a href="x"><h3>a</h3></a>', '### a')
})

test('keeps the alternative text of pictures, without paths or data', () => {
  check('<img src="a b.png" alt="a  cat">', '![a cat](a%20b.png)')
  check('<img src="_images/flow.png" alt="../flow.png">', '![](_images/flow.png)')
  check('<img src="data:image/png;base64,x" alt="c">', 'c')
  check('<img alt="d">', 'd')
})

test('converts notes to quotes that begin with their title', () => {
  check(
    '<div class="admonition tip"><p class="admonition-title">Tip</p><p>a</p><pre>b</pre></div>',
    '> **Tip**\n>\n> a\n>\n> ```\n> b\n> ```',
  )
  check('<blockquote><p>a</p><blockquote>b</blockquote></blockquote>', '> a\n>\n> > b')
  check('<details class="admonition"><summary>More</summary>a</details>', '**More**\n\na')
  check('<blockquote> </blockquote>a', 'a')
})

test('writes terms in bold and signatures as code', () => {
  check('<dl><dt>a <code>b</code></dt><dd>c</dd></dl>', '**a `b`**\n\nc')
  check('<dl><dt class="sig x">f<span>(</span>a<span>)</span></dt><dd>c</dd></dl>', '`f(a)`\n\nc')
  check('<dl><dt><b>a</b></dt></dl>', '**a**')
})

test('writes tables with a header row and one line per cell', () => {
  check(
    '<table><caption>T</caption><thead><tr><th>a</th><th>b|c</th></tr></thead>' +
      '<tbody><tr><td>1<p>2</p></td><td><code>x|y</code></td></tr><tr></tr></tbody></table>',
    'T\n\n| a | b\\|c |\n| --- | --- |\n| 1<br>2 | `x\\|y` |',
  )
  check('<table><tr><td>a\\|b</td></tr></table>', '| a\\|b |\n| --- |')
  check('<table><tr><td><pre>a</pre></td><td>b</td></tr></table>', '```\na\n```\n\nb')
})

test('keeps only the text of elements beyond the depth limit, but keeps code at any depth', () => {
  const quotes = `${'<blockquote>'.repeat(30)}a<pre>b</pre>`
  check(
    quotes,
    ['a', '', '```', 'b', '```'].map((line) => `${'> '.repeat(24)}${line}`.trimEnd()).join('\n'),
  )
  check(`${'<div>'.repeat(300)}<b>a</b>`, 'a')
})

test('repeats a cell of several rows, and fills a cell of several columns', () => {
  check(
    '<table><tbody><tr><th>a<th>b<tr><td rowspan=0>1<td>2<tr><td>3</tbody><tfoot><tr><td>4<td>5</tfoot></table>',
    '| a | b |\n| --- | --- |\n| 1 | 2 |\n| 1 | 3 |\n| 4 | 5 |',
  )
  check(
    '<table><tr><th>a<th>b<th>c</tr><tr><td rowspan=2>1<td colspan=2>2</tr><tr><td>3<td>4</tr></table>',
    '| a | b | c |\n| --- | --- | --- |\n| 1 | 2 |  |\n| 1 | 3 | 4 |',
  )
})

test('converts a table of numbered lines to code', () => {
  const row = (n: number, code: string) =>
    `<tr><td class="num">${n}</td><td class="x-code">${code}</td></tr>`
  check(`<table>${row(1, 'let a')}${row(2, '  b')}</table>`, '```\nlet a\n  b\n```')
  const lines = '<div class="line">foo <code>bar</code></div><div class="line">baz</div>'
  check(
    `<table><tr><td></td><td class="code"><div>${lines}</div></td></tr></table>`,
    '```\nfoo bar\nbaz\n```',
  )
})
