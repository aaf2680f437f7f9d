import { expect, test } from 'bun:test'
import { bootId } from '../../../src/platform/native/boot.ts'

test('one boot has one name, where the system tells boots apart', () => {
  expect(bootId()).toMatch(process.platform === 'linux' ? /^[-0-9a-f]{36}$/ : /^$/)
  expect(bootId()).toBe(bootId())
})
