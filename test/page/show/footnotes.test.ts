import { expect, test } from 'bun:test'
import { renderPageHtml } from '../../../src/page/show/page-html.ts'

const check = (text: string, expected: string) =>
  expect(renderPageHtml({ text, markup: 'markdown' }).replace(/\n/g, '')).toBe(expected)
const mark = (label: string) => `<sup>[${label}]</sup>`

test('displays footnotes as text with a superscript mark', () => {
  check(
    'A claim.[^1] B[^big-note].\n\n[^1]: One\n[^big-note]: Two *words*\n    go on.\n\n    More.\n\nEnd',
    `<p>A claim.${mark('1')} B${mark('big-note')}.</p><p>${mark('1')} One</p>` +
      `<p>${mark('big-note')} Two <em>words</em>go on.</p><p>More.</p><p>End</p>`,
  )
  check('A[^1]\n\n[^1]: word', `<p>A${mark('1')}</p><p>${mark('1')} word</p>`)
})

test('keeps text that only resembles a footnote', () => {
  check('`[^1]` and [^ 1] and \\[^1]', '<p><code>[^1]</code> and [^ 1] and [^1]</p>')
  check('Not a letter: [^a-z], [^x]', '<p>Not a letter: [^a-z], [^x]</p>')
  check('[a]: b\n[^1]: [a]', `<p>${mark('1')} <a href="b">a</a></p>`)
  check('[^<b>]: x', `<p>${mark('&lt;b&gt;')} x</p>`)
})

test('limits the nesting of footnotes', () => {
  expect(renderPageHtml({ text: '[^1]: '.repeat(20_000), markup: 'markdown' })).toContain(
    '<sup>[1]</sup>',
  )
})
