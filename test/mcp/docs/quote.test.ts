import { expect, test } from 'bun:test'
import { address, inline, quoted } from '../../../src/mcp/docs/quote.ts'
import { renderOutline } from '../../../src/mcp/docs/render-outline.ts'

test('a fence is longer than any in the text', () => {
  expect(quoted('a', 'x')).toEndWith('(x):\n```\na\n```\n')
  expect(quoted('````md\n```\n````\n', 'x')).toMatch(/\n`````\n````md\n```\n````\n`````\n$/)
})

test('a name stays on its line and means no markup', () => {
  expect(inline(' a\n\u202eb\x1b c ')).toBe('a b c')
  expect(inline('**a** [b](c) <i> `d` \\')).toBe('\\*\\*a\\*\\* \\[b\\](c) \\<i\\> \\`d\\` \\\\')
  expect(inline('x'.repeat(400))).toHaveLength(300)
})

test('an address cannot end its place', () => {
  expect(address('https://x.org/a b)(c)`*"')).toBe('https://x.org/a%20b%29%28c%29%60%2A%22')
  expect(address('https://x.org/é\n')).toBe('https://x.org/é%0A')
  expect(address('')).toBe('unknown')
})

test('headings stand with their lines, indented by level', () => {
  const heading = (line: number, level: number, title: string) => ({
    line,
    level,
    title,
    anchor: '',
  })
  expect(renderOutline([heading(1, 1, 'A'), heading(12, 2, '*B*\n')])).toBe(
    'Lines of its headings:\n    1  A\n   12    \\*B\\*\n',
  )
  expect(renderOutline([])).toBe('')
})
