import { expect, test } from 'bun:test'
import { renderPageHtml } from '../../../src/page/show/page-html.ts'

function check(text: string, expected: string): void {
  expect(renderPageHtml({ text, markup: 'markdown' }).trim()).toBe(expected)
}

test('highlights a quotation that starts with the kind of a note', () => {
  check(
    '> [!WARNING]\n> Careful *here*.',
    '<blockquote class="note warns">\n' +
      '<p><strong>Warning</strong><br>\nCareful <em>here</em>.</p>\n</blockquote>',
  )
  check(
    '> [!note]\n>\n> a',
    '<blockquote class="note">\n<p><strong>Note</strong></p>\n<p>a</p>\n</blockquote>',
  )
  check(
    '> [!TIP] Mind *this* <b>\n> a',
    '<blockquote class="note">\n' +
      '<p><strong>Mind <em>this</em> <b></b></strong><br>\na</p>\n</blockquote>',
  )
  check(
    '> [!tip]- Mind &lt;',
    '<blockquote class="note">\n<p><strong>Mind &lt;</strong></p>\n</blockquote>',
  )
  check('> [!OTHER]\n> a', '<blockquote>\n<p>[!OTHER]\na</p>\n</blockquote>')
  check('> a [!NOTE]', '<blockquote>\n<p>a [!NOTE]</p>\n</blockquote>')
})

test('highlights a paragraph that starts with the kind of a note or consists of it', () => {
  check('**Note:** a', '<p class="note"><strong>Note:</strong> a</p>')
  check('**See also**\n\nb', '<p class="note-title"><strong>See also</strong></p>\n<p>b</p>')
  check('**Ann:** a', '<p><strong>Ann:</strong> a</p>')
  check('a **Note:** b', '<p>a <strong>Note:</strong> b</p>')
})
