import { expect, test } from 'bun:test'
import { labelKey, referenceKey } from '../../src/document/reference-key.ts'

test('ignores case, blanks and backslashes of labels, but not of paths', () => {
  expect(labelKey(' A\\:b\n  C')).toBe('a:b c')
  expect(referenceKey('ref', 'A  b')).toBe('ref a b')
  expect(referenceKey('doc', ' A/b ')).toBe('doc A/b')
})
