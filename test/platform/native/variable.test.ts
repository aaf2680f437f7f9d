import { dlopen } from 'bun:ffi'
import { expect, test } from 'bun:test'
import { setNativeVariable } from '../../../src/platform/native/variable.ts'

test('native code reads what was set', () => {
  setNativeVariable('OG_TEST_VARIABLE', 'a value')
  const name = process.platform === 'darwin' ? 'libSystem.B.dylib' : 'libc.so.6'
  const libc = dlopen(name, { getenv: { args: ['ptr'], returns: 'cstring' } })
  expect(String(libc.symbols.getenv(Buffer.from('OG_TEST_VARIABLE\0')))).toBe('a value')
})
