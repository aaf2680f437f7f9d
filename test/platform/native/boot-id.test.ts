import { expect, test } from 'bun:test'
import { bootId } from '../../../src/platform/native/boot-id.ts'

test('returns the same id during one boot, if the system has one', () => {
  expect(bootId()).toMatch(process.platform === 'linux' ? /^[-0-9a-f]{36}$/ : /^$/)
  expect(bootId()).toBe(bootId())
})
