import { expect, test } from 'bun:test'
import { decodePercent } from '../../src/source/page-address.ts'

test('decodes UTF-8, and keeps a bare %', () => {
  expect(decodePercent('/a%20b/%C3%A9%e2%82%ac')).toBe('/a b/é€')
  expect(decodePercent('100% %zz %2 %')).toBe('100% %zz %2 %')
  expect(decodePercent('%252F')).toBe('%2F')
  expect(decodePercent('%ff')).toBe('\ufffd')
})
