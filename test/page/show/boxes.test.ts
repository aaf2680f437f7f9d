import { expect, test } from 'bun:test'
import { markdownText } from '../../../src/page/markdown/markdown-text.ts'
import { rstText } from '../../../src/page/rst/rst-text.ts'
import { pageHtml, type PageToShow } from '../../../src/page/show/shown-page.ts'

const shown = (text: string, more: Partial<PageToShow> = {}) =>
  pageHtml({ text, markup: 'markdown', ...more }).replace(/\n/g, '')

const title = (words: string) => `<p class="note-title">${words}</p>`

test('a note stands in a box, as far as it goes', () => {
  expect(shown(markdownText('a\n\n!!! danger "Hot"\n\n    b\n\n    - c\n\nd'))).toBe('<p>a</p><div class="note">'
    + `${title('<strong>Hot</strong>')}<p>b</p><ul><li>c</li></ul></div><p>d</p>`)
  expect(shown(markdownText(':::warning\na\n:::\nb'))).toBe(
    `<div class="note warns">${title('<strong>Warning</strong>')}<p>a</p></div><p>b</p>`)
})

test('so does a tab, a note in it, and a note in a list', () => {
  expect(shown(markdownText('=== "A"\n\n    a\n\n    !!! tip\n        t\n\n=== "B"\n\n    b\n'))).toBe(
    `<div class="tab">${title('A')}<p>a</p><div class="note">${title('<strong>Tip</strong>')}<p>t</p></div>`
    + `</div><div class="tab">${title('B')}<p>b</p></div>`)
  expect(shown(markdownText('- a\n\n    !!! tip\n        t\n\n    b\n- c'))).toBe('<ul><li><p>a</p><div class="note">'
    + `${title('<strong>Tip</strong>')}<p>t</p></div><p>b</p></li><li><p>c</p></li></ul>`)
})

test('rst has them too, with its code', () => {
  const text = rstText('.. note:: a\n\n   .. code::\n\n      x\n\nb')
  expect(shown(text, { markup: 'rst' })).toBe(`<div class="note">${title('<strong>Note</strong>')}<p>a</p>`
    + '<pre tabindex="0"><code class="hljs">x</code></pre></div><p>b</p>')
})

test('a box that holds what was looked for is marked as a whole', () => {
  const text = markdownText('a\n\n!!! tip\n\n    b\n\n    c\n\nd\n')
  const [first] = [text.split('\n').indexOf('c') + 1]
  expect(shown(text, { here: { from: first, to: first } })).toBe('<p>a</p><div class="here"><div class="note">'
    + `${title('<strong>Tip</strong>')}<p>b</p><p>c</p></div></div><p>d</p>`)
  expect(shown(text, { here: { from: first + 2, to: first + 2 } })).toEndWith('</div><div class="here"><p>d</p></div>')
})

test('a quotation that begins with the name of a note is one', () => {
  expect(shown('> **Note**\n>\n> a')).toBe('<blockquote class="note"><p class="note-title"><strong>Note</strong></p>'
    + '<p>a</p></blockquote>')
})
