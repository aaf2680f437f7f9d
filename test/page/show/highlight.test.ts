import { expect, test } from 'bun:test'
import { highlighted } from '../../../src/page/show/highlight.ts'

test('highlights a language by its name, its short name or an alias', () => {
  for (const name of ['python', 'py', 'Python3']) {
    expect(highlighted('def a', name)).toStartWith('<span class="hljs-keyword">def</span>')
  }
})

test('only escapes code that is too long or in an unknown language', () => {
  expect(highlighted('<a>', 'x')).toBe('&lt;a&gt;')
  expect(highlighted('def a\n'.repeat(5_000), 'python')).not.toContain('<span')
})
