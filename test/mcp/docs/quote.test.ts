import { expect, test } from 'bun:test'
import { escapeUrl, escapeInline, quoteText } from '../../../src/mcp/docs/quote.ts'
import { renderOutline } from '../../../src/mcp/docs/render.ts'

test('escapes > unless it separates two headings', () => {
  expect(escapeInline('Usage > Typed')).toBe('Usage > Typed')
  expect(escapeInline('> quoted')).toBe('\\> quoted')
  expect(escapeInline('a -> b>')).toBe('a -\\> b\\>')
})

test('uses a fence that is longer than any in the text', () => {
  expect(quoteText('a', 'x')).toEndWith('(x):\n```\na\n```\n')
  expect(quoteText('````md\n```\n````\n', 'x')).toMatch(/\n`````\n````md\n```\n````\n`````\n$/)
})

test('puts names on one line and escapes markup', () => {
  expect(escapeInline(' a\n\u202eb\x1b c ')).toBe('a b c')
  expect(escapeInline('**a** [b](c) <i> `d` \\')).toBe(
    '\\*\\*a\\*\\* \\[b\\](c) \\<i\\> \\`d\\` \\\\',
  )
  expect(escapeInline('x'.repeat(400))).toHaveLength(300)
})

test('encodes characters that could end a URL', () => {
  expect(escapeUrl('https://x.org/a b)(c)`*"')).toBe('https://x.org/a%20b%29%28c%29%60%2A%22')
  expect(escapeUrl('https://x.org/é\n')).toBe('https://x.org/é%0A')
  expect(escapeUrl('A\\B\\')).toBe('A\\B%5C')
  expect(escapeUrl('')).toBe('unknown')
})

test('lists headings with line numbers and sizes, indented by level', () => {
  const heading = (line: number, level: number, title: string) => ({
    line,
    level,
    title,
    tokens: 10 * line,
  })
  expect(renderOutline([heading(1, 1, 'A'), heading(12, 2, '*B*\n')])).toBe(
    'Line, tokens and heading of its sections; url#HEADING reads one:\n' +
      '    1     10  A\n   12    120    \\*B\\*\n',
  )
  expect(renderOutline([])).toBe('')
})
