import { expect, test } from 'bun:test'
import { highlighted } from '../../../src/page/show/highlight.ts'

test('a language by its name, its short name or another one of ours', () => {
  for (const name of ['python', 'py', 'Python3']) {
    expect(highlighted('def a', name)).toStartWith('<span class="hljs-keyword">def</span>')
  }
})

test('code that is too long, or of no known language, is only escaped', () => {
  expect(highlighted('<a>', 'x')).toBe('&lt;a&gt;')
  expect(highlighted('def a\n'.repeat(5_000), 'python')).not.toContain('<span')
})
