import { expect, test } from 'bun:test'
import { maskCallGenerics } from '../../../src/api/typescript/ts-generics.ts'

test('blanks out only the type parameters of call signatures', () => {
  const text = 'type A = {\n  <T extends Map<K, () => V>>(a: T): T;\n  b: Array<T>\n}\n'
  const masked = maskCallGenerics(text)
  expect(masked).toHaveLength(text.length)
  expect(masked.replace(/ +/g, ' ')).toBe('type A = {\n (a: T): T;\n b: Array<T>\n}\n')
  expect(maskCallGenerics('  <div>(a)</div>')).toBe('  <div>(a)</div>')
  const documented = `/**\n * <b>\u2026</b>\n */\n${text}`
  expect(maskCallGenerics(documented)).toBe(documented.replace(text, masked))
  expect(maskCallGenerics(`</a>${'\n/*'.repeat(100_000)}`)).toHaveLength(300_004)
  expect(maskCallGenerics(`  ${'<'.repeat(100_000)}`)).toHaveLength(100_002)
})
