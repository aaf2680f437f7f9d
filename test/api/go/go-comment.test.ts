import { expect, test } from 'bun:test'
import { parseGoComment } from '../../../src/api/go/go.ts'

test('renders code, lists and paragraphs, and omits directives', () => {
  const lines = ['// Text', '//   - item', '//', '//\ta()', '//', '//\tb()', '//go:build x']
  expect(parseGoComment(lines).text).toBe('Text\n  - item\n\n```go\na()\n\nb()\n```')
  expect(parseGoComment(['/* Text', 'more. */']).text).toBe('Text\nmore.')
  expect(parseGoComment([])).toEqual({ text: '', deprecated: null })
})
