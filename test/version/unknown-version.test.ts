import { expect, test } from 'bun:test'
import {
  nearestLibraries,
  nearestVersions,
  unknownLibraryError,
  unknownVersionError,
} from '../../src/version/unknown-version.ts'
import { entryOf, generationNamed } from '../support/store.ts'

const entries = ['vite', 'react', 'vitest'].map((name) => entryOf(name, generationNamed(name)))

test('orders versions by the difference of their first numbers', () => {
  function check(typed: string, versions: string, expected: string) {
    expect(nearestVersions(typed, versions.split(' ')).join(' ')).toBe(expected)
  }
  check('9.9', '1.0.0 2.1.0 2.0.0 latest', '2.1.0 2.0.0 1.0.0 latest')
  check('0.114', '0.100.0 0.113.0 0.115.3 1.0.0', '0.115.3 0.113.0 0.100.0 1.0.0')
  check('>=3', '1.0.0 v2.0.0 1.0.0', 'v2.0.0 1.0.0')
  check('stable', 'main 1.0.0 2026-01-31 2.0.0', '2.0.0 1.0.0 2026-01-31 main')
})

test('orders libraries by the number of edits, then by shared pairs of letters', () => {
  expect(nearestLibraries(entries, 'raect')).toEqual(['react', 'vite', 'vitest'])
  expect(nearestLibraries(entries, 'a long test')).toEqual(['vitest', 'vite', 'react'])
})

test('lists existing libraries and versions in errors', () => {
  expect(unknownLibraryError([], 'vite').hint).toBe(
    'no libraries are indexed yet: og add LIBRARY --source SOURCE',
  )
  expect(unknownLibraryError(entries, 'raect').hint).toBe('did you mean "react"?')
  expect(unknownLibraryError(entries, 'zod').hint).toStartWith('og add zod indexes it; indexed: ')
  const { message, hint } = unknownVersionError(entries, ['vite', 'react'], '2')
  expect([message, hint]).toEqual([
    'Version "2" not found for library "vite" or "react"',
    'indexed: 1',
  ])
})
