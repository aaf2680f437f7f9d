import { expect, test } from 'bun:test'
import { highlight } from '../../../src/page/show/code.ts'

test('highlights a language by its name, its short name or an alias', () => {
  for (const name of ['python', 'py', 'Python3']) {
    expect(highlight('def a', name)).toStartWith('<span class="hljs-keyword">def</span>')
  }
})

test('escapes but does not highlight code that is too long or in an unknown language', () => {
  expect(highlight('<a>', 'x')).toBe('&lt;a&gt;')
  expect(highlight('def a\n'.repeat(5_000), 'python')).not.toContain('<span')
})
