import { expect, test } from 'bun:test'
import { fileState, unsettledPrefix } from '../../../src/memory/index/index-rows.ts'

const stats = { size: 120, mtimeMs: 1767225600000.25, ino: 77 }

test('a state differs for another size, fractional time or inode', () => {
  const others = [{ size: 121 }, { mtimeMs: 1767225600000.5 }, { ino: 78 }]
  const states = [{}, ...others].map((other) => fileState({ ...stats, ...other }))
  expect(new Set(states).size).toBe(4)
  expect(fileState({ ...stats })).toBe(fileState(stats))
})

test('separates its numbers unambiguously', () => {
  const state = (size: number, mtimeMs: number, ino: number) => fileState({ size, mtimeMs, ino })
  expect(state(11, 1, 1)).not.toBe(state(1, 11, 1))
  expect(state(1, 11, 1)).not.toBe(state(1, 1, 11))
})

test('a state never starts with the prefix of unsettled states', () => {
  expect(fileState(stats)).not.toStartWith(unsettledPrefix)
})
