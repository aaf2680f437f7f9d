import { expect, test } from 'bun:test'
import { parseRelease, parseRange, isDateVersion, versionParts } from '../../src/version/release.ts'

/** Returns the versions that a range allows. */
function check(range: string, versions: string[], expected: string[], withPre = false): void {
  const { allows } = parseRange(range)!
  expect(versions.filter((version) => allows(parseRelease(version)!, { withPre }))).toEqual(
    expected,
  )
}

const some = ['1.4.0', '1.4.9', '1.5.0', '2.0.0', '2.1.0rc1']

test('reads npm and Python version ranges', () => {
  check('^1.4', some, ['1.4.0', '1.4.9', '1.5.0'])
  check('1.4.x', some, ['1.4.0', '1.4.9'])
  check('>=1.5 <3', some, ['1.5.0', '2.0.0'])
  check('>=1.5,<3', some, ['1.5.0', '2.0.0'])
  check('~=1.4', some, ['1.4.0', '1.4.9', '1.5.0'])
  check('~=1.4.2', some, ['1.4.9'])
  check('==1.4.*', some, ['1.4.0', '1.4.9'])
  check('^1.4 || >=2', some, ['1.4.0', '1.4.9', '1.5.0', '2.0.0'])
  check('>=1.4,!=1.5.0', some, ['1.4.0', '1.4.9', '2.0.0'])
})

test('allows a pre-release on request', () => {
  check('>=2', some, ['2.0.0'])
  check('>=2', some, ['2.0.0', '2.1.0rc1'], true)
})

test('accepts a package name', () => {
  expect([
    parseRange('ui@^1.2')?.name,
    parseRange('@scope/ui@^1.2')?.name,
    parseRange('^1.2')?.name,
  ]).toEqual(['ui', '@scope/ui', ''])
})

test('rejects a version, the start of a version, a name and nonsense', () => {
  for (const typed of ['1.4.2', 'v1', 'latest', 'main', '>=banana', '', `^${'1'.repeat(300)}`]) {
    expect([typed, parseRange(typed)]).toEqual([typed, null])
  }
})

test('distinguishes dates from releases', () => {
  expect(['2026-01-31', 'local-2026-01-31'].every(isDateVersion)).toBe(true)
  expect(['2026.1', '1.0.0-2026', 'latest'].some(isDateVersion)).toBe(false)
})

test('splits a list, but not a range or label with commas', () => {
  expect(versionParts('1.0, 2.0,,1.0', [])).toEqual(['1.0', '2.0'])
  expect(versionParts('>=1,<2', [])).toEqual([])
  expect(versionParts('a,b', ['a,b'])).toEqual([])
  expect(versionParts('1.0', [])).toEqual([])
})
