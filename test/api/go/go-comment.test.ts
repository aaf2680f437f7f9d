import { expect, test } from 'bun:test'
import { goComment } from '../../../src/api/go/go.ts'

test('renders code, lists and blocks, and leaves directives out', () => {
  const lines = ['// Text', '//   - item', '//', '//\ta()', '//', '//\tb()', '//go:build x']
  expect(goComment(lines).text).toBe('Text\n  - item\n\n```go\na()\n\nb()\n```')
  expect(goComment(['/* Text', 'more. */']).text).toBe('Text\nmore.')
  expect(goComment([])).toEqual({ text: '', deprecated: null })
})
