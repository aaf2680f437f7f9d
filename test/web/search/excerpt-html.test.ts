import { expect, test } from 'bun:test'
import { excerptHtml, excerptLine } from '../../../src/web/search/excerpt-html.ts'

function check(text: string, query: string, expected: string, heading = ''): void {
  expect(excerptHtml({ text, markup: 'markdown', heading }, query).trim()).toBe(expected)
}

test('marks the terms of the query, but not inside tags', () => {
  check(
    'A kettle, `kettle()`.',
    'kettles',
    '<p>A <mark>kettle</mark>, <code><mark>kettle</mark>()</code>.</p>',
  )
  check(
    '| p | amp |\n|--:|---|\n| & | p |',
    'right amp',
    '<table>\n<thead>\n<tr>\n' +
      '<th class="right">p</th>\n<th><mark>amp</mark></th>\n</tr>\n</thead>\n<tbody>\n<tr>\n' +
      '<td class="right">&amp;</td>\n<td>p</td>\n</tr>\n</tbody>\n</table>',
  )
})

test('removes a first heading that repeats the heading of the hit', () => {
  check('## A pot\n\nIt stews.', '', '<p>It stews.</p>', 'Kitchen > A pot')
  check('A pot\n-----\n\nIt stews.', '', '<p>It stews.</p>', 'Kitchen > A pot')
  check('## Other\n\nIt stews.', '', '<h3>Other</h3>\n<p>It stews.</p>', 'Kitchen > A pot')
})

test('cuts a long hit to the part with the terms and keeps code whole', () => {
  const filler = Array.from({ length: 20 }, (_, i) => `Line ${i} of nothing in particular here.`)
  const text = [filler.join('\n\n'), '```js\nlet kettle\n\nboil(kettle)\n```', filler.join('\n\n')]
  const shown = excerptHtml({ text: text.join('\n\n'), markup: 'markdown', heading: '' }, 'kettle')
  expect(shown.match(/<mark>/g)).toHaveLength(2)
  expect(shown.length).toBeLessThan(2_500)
  const long = `\`\`\`\n${'kettle\n'.repeat(1_000)}\`\`\``
  expect(excerptHtml({ text: long, markup: 'markdown', heading: '' }, 'a').length).toBeLessThan(
    3_000,
  )
})

test('shows a box with its title, and no marks of a box that is cut', () => {
  const note = '**Note**\t\n\nA kettle.\n\t\n\nEnd.'
  const title = '<p class="note-title"><strong>Note</strong></p>'
  check(note, '', `<div class="note">\n${title}\n<p>A kettle.</p>\n</div>\n<p>End.</p>`)
  const filler = Array.from({ length: 30 }, (_, i) => `Line ${i} of nothing in particular here.`)
  const long = `**Tip**\t\n\n${filler.join('\n\n')}\n\nA spout.\n\n${filler.join('\n\n')}\n\t\n\nEnd.`
  const shown = excerptHtml({ text: long, markup: 'markdown', heading: '' }, 'spout')
  expect(shown).toContain('<mark>spout</mark>')
  expect(shown).not.toContain('\t')
})

test('shows one line around the first mark, without other markup', () => {
  const [before, after] = ['before '.repeat(30), ' after'.repeat(90)]
  const line = excerptLine(
    `<p>No.</p><p>${before}a &lt; <a href="x"><mark>b</mark></a>${after}</p>`,
  )
  expect(line).toStartWith('… before ')
  expect(line).toContain('before a &lt; <mark>b</mark> after')
  expect(line).toEndWith(' after')
  expect(line.length).toBeLessThan(330)
  expect(excerptLine('<pre><code></code></pre><p>Only <em>this</em></p>')).toBe('Only this')
  expect(excerptLine('')).toBe('')
})
