import { expect, test } from 'bun:test'
import {
  renderPageHtml,
  renderPagePieces,
  type PageToShow,
} from '../../../src/page/show/page-html.ts'
import { cpuMs } from '../../support/pages/cpu-time.ts'
import { toPlainMarkdown } from '../../../src/formats/markdown/markdown-text.ts'
import { rstToMarkdown } from '../../../src/formats/rst/rst-markdown.ts'

function check(text: string, expected: string, more: Partial<PageToShow> = {}): void {
  expect(renderPageHtml({ text, markup: 'markdown', ...more }).trim()).toBe(expected)
}

test('renders Markdown', () => {
  check('a **b** `c<d>`', '<p>a <strong>b</strong> <code>c&lt;d&gt;</code></p>')
  check('- a\n- b', '<ul>\n<li>a</li>\n<li>b</li>\n</ul>')
  check('3. a', '<ol start="3">\n<li>a</li>\n</ol>')
  check(
    '|a|b|\n|-|-:|\n|1|2|',
    '<table>\n<thead>\n<tr>\n<th>a</th>\n<th class="right">b</th>\n</tr>\n' +
      '</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td class="right">2</td>\n</tr>\n</tbody>\n</table>',
  )
  check(
    'see https://a.example/b',
    '<p>see <a href="https://a.example/b">https://a.example/b</a></p>',
  )
})

test('highlights code only in a known language', () => {
  check(
    '```js\nlet a\n```',
    '<pre tabindex="0"><code class="hljs">' +
      '<span class="hljs-keyword">let</span> a\n</code></pre>',
  )
  for (const language of ['', 'mystery', '{.mystery}']) {
    check(
      `\`\`\`${language}\n<b>\n\`\`\``,
      '<pre tabindex="0"><code class="hljs">&lt;b&gt;\n</code></pre>',
    )
  }
})

test('sets known heading ids, and marks the requested lines', () => {
  const anchors = [{ line: 1, anchor: 'a-b' }]
  check('# A b\n\nc\n\nd', '<h1 id="a-b">A b</h1>\n<div class="here"><p>c</p>\n</div><p>d</p>', {
    anchors,
    here: { from: 2, to: 3 },
  })
  check(
    'a\n\n- b\n- c\n\nd',
    '<p>a</p>\n<div class="here"><ul>\n<li>b</li>\n<li>c</li>\n</ul>\n' + '<p>d</p>\n</div>',
    { here: { from: 4, to: 9 } },
  )
  check('a', '<p>a</p>', { here: { from: 7, to: 9 } })
  check('# A { #x .y }\n\n<h2 id="cookie">c</h2>', '<h1>A</h1>\n<h2>c</h2>')
  check('# A {b}', '<h1>A {b}</h1>')
})

test('escapes unknown tags, and lets no unclosed tag swallow the rest', () => {
  check('a Vec<T> b <Tabs>', '<p>a Vec&lt;T&gt; b &lt;Tabs&gt;</p>')
  check('the <script> tag', '<p>the &lt;script&gt; tag</p>')
  check('<style>\n\na', '&lt;style&gt;\n\na')
  check('<style>p { color: red }</style>\n\na', '<p>a</p>')
})

test('renders plain text as it is', () => {
  check('A\n=\n<b>', '<pre tabindex="0">A\n=\n&lt;b&gt;</pre>', { markup: 'text' })
})

test('renders a table without headings without a header row, and marks all of its lines', () => {
  const text = 'a\n\n|  |  |\n|---|---|\n| b | c |\n\nd\n'
  const shown = '<table>\n<tbody>\n<tr>\n<td>b</td>\n<td>c</td>\n</tr>\n</tbody>\n</table>\n'
  expect(renderPageHtml({ text, markup: 'markdown', here: { from: 5, to: 5 } })).toBe(
    `<p>a</p>\n<div class="here">${shown}</div><p>d</p>\n`,
  )
})

test('reads the tables of a page only once', () => {
  const text = '|a|\n|-|\n\n'.repeat(40_000)
  expect(cpuMs(() => renderPageHtml({ text, markup: 'markdown' }))).toBeLessThan(4_000)
})

test('renders a page in pieces, with a short first piece that resolves links defined at the end', () => {
  const text = `# A\n\nSee [b].\n\n${'- c\n  ```py\n  d = 1\n  ```\n\n'.repeat(500)}\n[b]: https://b.example\n`
  const pieces = [
    ...renderPagePieces({ text: `${text}<details>\n\ne\n\n${text}`, markup: 'markdown' }),
  ]
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces[0]).toContain('<a href="https://b.example">b</a>')
  expect(pieces.at(-1)).toEndWith('</details></div>')
  const prose = 'Some words.\n\n'.repeat(10_000)
  const [first] = renderPagePieces({ text: prose, markup: 'markdown' })
  expect(first!.length).toBeLessThan(10_000)
})

test('renders everything above the requested passage in the first piece', () => {
  const text = 'Some words.\n\n'.repeat(5_000)
  const [first, ...rest] = renderPagePieces({
    text,
    markup: 'markdown',
    here: { from: 8_001, to: 8_001 },
  })
  expect(first!.match(/<p>/g)).toHaveLength(4_001)
  expect(first).toContain('<div class="here"><p>')
  expect(rest.join('')).not.toContain('class="here"')
})

const shown = (text: string, more: Partial<PageToShow> = {}) =>
  renderPageHtml({ text, markup: 'markdown', ...more }).replace(/\n/g, '')

const title = (words: string) => `<p class="note-title">${words}</p>`

test('renders a note as a box around its content', () => {
  expect(shown(toPlainMarkdown('a\n\n!!! danger "Hot"\n\n    b\n\n    - c\n\nd'))).toBe(
    '<p>a</p><div class="note">' +
      `${title('<strong>Hot</strong>')}<p>b</p><ul><li>c</li></ul></div><p>d</p>`,
  )
  expect(shown(toPlainMarkdown(':::warning\na\n:::\nb'))).toBe(
    `<div class="note warns">${title('<strong>Warning</strong>')}<p>a</p></div><p>b</p>`,
  )
})

test('renders tabs, notes in tabs and notes in lists as boxes', () => {
  expect(
    shown(toPlainMarkdown('=== "A"\n\n    a\n\n    !!! tip\n        t\n\n=== "B"\n\n    b\n')),
  ).toBe(
    `<div class="tab">${title('A')}<p>a</p><div class="note">${title('<strong>Tip</strong>')}<p>t</p></div>` +
      `</div><div class="tab">${title('B')}<p>b</p></div>`,
  )
  expect(shown(toPlainMarkdown('- a\n\n    !!! tip\n        t\n\n    b\n- c'))).toBe(
    '<ul><li><p>a</p><div class="note">' +
      `${title('<strong>Tip</strong>')}<p>t</p></div><p>b</p></li><li><p>c</p></li></ul>`,
  )
})

test('renders rst boxes with their code', () => {
  const text = rstToMarkdown('.. note:: a\n\n   .. code::\n\n      x\n\nb')
  expect(shown(text)).toBe(
    `<div class="note">${title('<strong>Note</strong>')}<p>a</p>` +
      '<pre tabindex="0"><code class="hljs">x</code></pre></div><p>b</p>',
  )
})

test('marks the whole box that contains the requested line', () => {
  const text = toPlainMarkdown('a\n\n!!! tip\n\n    b\n\n    c\n\nd\n')
  const [first] = [text.split('\n').indexOf('c') + 1]
  expect(shown(text, { here: { from: first, to: first } })).toBe(
    '<p>a</p><div class="here"><div class="note">' +
      `${title('<strong>Tip</strong>')}<p>b</p><p>c</p></div></div><p>d</p>`,
  )
  expect(shown(text, { here: { from: first + 2, to: first + 2 } })).toEndWith(
    '</div><div class="here"><p>d</p></div>',
  )
})

test('renders a quotation that starts with the name of a note as a note', () => {
  expect(shown('> **Note**\n>\n> a')).toBe(
    '<blockquote class="note"><p class="note-title"><strong>Note</strong></p>' +
      '<p>a</p></blockquote>',
  )
})
