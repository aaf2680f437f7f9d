import { expect, test } from 'bun:test'
import type { MissingName } from '../../../src/api/coverage.ts'
import {
  addMissingCommand,
  missingShare,
  renderNames,
  summarizeNames,
} from '../../../src/library/quality/missing-names.ts'

const lost = (name: string, from = 'a.ts'): MissingName => ({ name, reason: 'undeclared', from })
const foreign = (name: string): MissingName => ({ name, reason: 'dependency', from: 'npm:zod' })

test('counts missing names by reason, and lists some of each', () => {
  const names = summarizeNames({
    declared: 9,
    missing: [foreign('kit.z'), lost('kit.a'), lost('kit.b', 'b.ts'), lost('kit.c'), lost('kit.d')],
  })
  expect(renderNames(names)).toBe(
    '4 of 9 public names; missing: 4 without a declaration that og finds (kit.a, kit.b, kit.c, …); ' +
      '1 declared in npm:zod, which was not read (kit.z)',
  )
  expect(missingShare(names)).toBe('5 of 9 names missing')
})

test('says that no name is missing', () => {
  expect(renderNames(summarizeNames({ declared: 9, missing: [] }))).toBe('9 of 9 public names')
})

test('stores a limited number of names, and counts all', () => {
  const many = Array.from({ length: 2000 }, (_, i) => lost(`kit.name${i}`))
  const { missing, groups } = summarizeNames({ declared: 3000, missing: [...many, foreign('z')] })
  expect(missing).toBe(2001)
  expect(groups.map(({ count, names }) => [count, names.length])).toEqual([
    [2000, 499],
    [1, 1],
  ])
})

test('counts groups beyond the limit as other reasons', () => {
  const missing = Array.from({ length: 25 }, (_, i) => ({ ...foreign('x'), from: `npm:p${i}` }))
  expect(renderNames(summarizeNames({ declared: 30, missing }))).toEndWith('; 5 for other reasons')
})

test('names the command that adds a dependency, or the rest of a large reference', () => {
  expect(addMissingCommand('kit', { reason: 'dependency', from: 'npm:@a/b' })).toBe(
    'og add npm:@a/b',
  )
  expect(addMissingCommand('kit', { reason: 'limit', from: '' })).toBe('og add kit --api with')
  expect(addMissingCommand('kit', { reason: 'absent', from: '' })).toBeNull()
})

test('counts names with shortened documentation, and the modules of most of them', () => {
  const shortened = ['kit/a.x', 'kit/b.y', 'kit/b.z']
  const names = summarizeNames({ declared: 9, missing: [], shortened })
  expect(names.shortened).toEqual({ count: 3, modules: ['kit/b', 'kit/a'] })
  expect(renderNames(names)).toBe(
    '9 of 9 public names, 3 of them with one sentence of documentation (kit/b, kit/a)',
  )
})
