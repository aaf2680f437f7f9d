import { describe, expect, test } from 'bun:test'
import {
  asksForSeveral,
  defaultVersion,
  isLocalDate,
  matchVersion,
  newestVersionsFirst,
  matchingVersions,
  versionRule,
  isAutomaticLabel,
} from '../../src/version/version.ts'
import type { Source } from '../../src/store/source.ts'

describe('the default version', () => {
  function check(versions: string[], expected: string) {
    for (const some of permutations(versions)) expect(defaultVersion(some)).toBe(expected)
  }

  test('chooses the highest release', () => {
    check(['0.9.0', '0.10.0', '0.2'], '0.10.0')
    check(['v1.9', 'v1.10', '1.2.3'], 'v1.10')
    check(['2.0.0-rc.1', '1.0.0', 'latest', 'local-2026-01-31'], '1.0.0')
    check(['3.0.0rc1', '3.0.0b2', '2.11.7'], '2.11.7')
    check(['pkg@1.9.0', 'pkg@1.10.0'], 'pkg@1.10.0')
    check(['1.2.3.4', '1.2.3.10'], '1.2.3.10')
    check(['1.2.3', '1.2.3.post1'], '1.2.3.post1')
    check(['1.2.3.post2', '1.2.3.post10', '1.2.3.post1'], '1.2.3.post10')
    check(['1.2.0', 'latest', '1.10', 'v1.9'], '1.10')
  })

  test('chooses the shortest spelling of a release', () => {
    check(['v1.2.0', '1.2.0'], '1.2.0')
    check(['kit@1.2.0', '1.2.0'], '1.2.0')
    check(['a@1.2.0', 'b@1.2.0'], 'b@1.2.0')
  })

  test('prefers a release to a commit after it', () => {
    check(['0.115.0', '0.115.0-2-g1a2b3c4', '0.114.0'], '0.115.0')
    check(['0.114.0', '0.115.0-2-g1a2b3c4'], '0.114.0')
  })

  test('otherwise chooses the highest pre-release', () => {
    check(['2.0.0-rc.9', '2.0.0-rc.10', '2.0.0-beta.11', 'latest'], '2.0.0-rc.10')
    check(['3.0.0rc9', '3.0.0rc10', 'latest', 'local-2026-01-31'], '3.0.0rc10')
  })

  test('otherwise chooses the last commit after a tag', () => {
    check(['1.0-2-g1a2b3c4', '1.0-10-gaaaaaaa', '1.0-rc.3', 'latest'], '1.0-10-gaaaaaaa')
    check(['1.0-rc.3', '1.0-rc.3-2-g1a2b3c4', '1.0-rc.2-10-g1a2b3c4'], '1.0-rc.3-2-g1a2b3c4')
    check(['1.0-rc.3-2-g1a2b3c4', '1.0-rc.4'], '1.0-rc.4')
  })

  test('otherwise chooses latest, even next to a date', () => {
    check(['latest', 'local-2026-01-31', 'main'], 'latest')
    check(['latest', '2026-01-31'], 'latest')
  })

  test('otherwise chooses the newest date, or else the last version by name', () => {
    check(['local-2025-12-31', 'local-2026-01-01'], 'local-2026-01-01')
    check(['2025-12-31', 'local-2025-11-30'], '2025-12-31')
    check(['2026-01-31', 'local-2026-01-31'], 'local-2026-01-31')
    check(['develop', 'main', 'g1a2b3c4'], 'main')
  })
})

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, at) =>
    permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]),
  )
}

describe('a typed version', () => {
  const versions = [
    'v1.0.0',
    '0.115.0',
    '0.115.10',
    '0.115.9',
    '0.116.0-rc.1',
    'pkg@2.3.4',
    'latest',
    'release/a b',
    'local-2026-01-31',
  ]
  function check(typed: string, expected: string | null) {
    expect(matchVersion(typed, versions)).toBe(expected)
  }

  test('matches the same text, whatever it contains', () => {
    for (const version of versions) check(version, version)
  })

  test('matches the version with or without v (W-03)', () => {
    check('1.0.0', 'v1.0.0')
    check('v0.115.0', '0.115.0')
  })

  test('matches the newest version that starts with it', () => {
    check('0.115', '0.115.10')
    check('0', '0.115.10')
    check('0.116', '0.116.0-rc.1')
    check('1', 'v1.0.0')
    check('2.3.4', 'pkg@2.3.4')
  })

  test('matches nothing if no version fits', () => {
    for (const typed of ['0.11', '0.115.1', '3', '2026', '', 'LATEST', 'release', "'"]) {
      check(typed, null)
    }
  })

  test('throws if it matches several packages', () => {
    expect(() => matchVersion('1.2', ['a@1.2.3', 'b@1.2.4'])).toThrow('Cannot tell which version')
  })
})

describe('a search', () => {
  const versions = ['1.0.0', '1.2.0', '2.0.0', '2.1.0-rc.1', 'latest', '2026-01-31']
  function check(typed: string, expected: string[]) {
    expect(matchingVersions(typed, versions)).toEqual(expected)
  }

  test('selects every version in a range, newest first', () => {
    check('>=1.0 <2.0', ['1.2.0', '1.0.0'])
    check('1.x', ['1.2.0', '1.0.0'])
    check('>=1.2', ['2.0.0', '1.2.0'])
    check('>=2.1.0-rc.0', ['2.1.0-rc.1'])
    check('^9', [])
  })

  test('selects all versions, or the versions in a list', () => {
    const all = ['2.0.0', '1.2.0', '1.0.0', '2.1.0-rc.1', 'latest', '2026-01-31']
    check('all', all)
    check('*', all)
    check('1.0, 2.0.0', ['2.0.0', '1.0.0'])
    check('latest,1', ['1.2.0', 'latest'])
    check('7,8', [])
  })

  test('otherwise selects the single match', () => {
    check('1', ['1.2.0'])
    check('latest', ['latest'])
    check('3', [])
    for (const typed of ['1', '1.2.0', 'latest', '2026-01-31']) {
      expect(asksForSeveral(typed)).toBe(false)
    }
  })

  test('selects the newest version first in any case', () => {
    expect(newestVersionsFirst(['latest', '1', '10', '9'])).toEqual(['10', '9', '1', 'latest'])
    expect(newestVersionsFirst([])).toEqual([])
  })
})

test('distinguishes the date label of a folder from other versions', () => {
  expect(isLocalDate('local-2026-01-31')).toBe(true)
  for (const version of ['local', 'local-2026-1-31', '2026-01-31', 'x-local-2026-01-31']) {
    expect(isLocalDate(version)).toBe(false)
  }
})

test('chooses a release for the start of a version, even below a newer pre-release', () => {
  expect(matchVersion('1', ['1.9.0', '1.10.0-rc.1', '2.0.0'])).toBe('1.9.0')
  expect(matchVersion('1', ['1.0.0-beta.1', '2.0.0'])).toBe('1.0.0-beta.1')
})

function check(typed: string | null, [version = '', ...others]: string[], expected: string) {
  const versions = [...others, version]
  expect(versionRule({ version, versions }, typed)).toBe(expected)
}

test('explains a default version', () => {
  check(null, ['1.0'], 'the only version that is indexed')
  check(null, ['2.0', '1.0', 'latest'], 'of 3 versions the highest release')
  check(
    null,
    ['2.0-rc1', 'latest'],
    'of 2 versions the highest pre-release, since there is no release',
  )
  check(null, ['latest', 'main'], 'of 2 versions "latest", since there is no release')
  check(
    null,
    ['2026-02-01', '2026-01-01'],
    'of 2 versions the newest date, since there is no release',
  )
  check(null, ['main', 'dev'], 'of 2 versions the last, since there is no release')
})

test('explains a version from the project', () => {
  const pin = { package: 'vite', named: '6.0.1', file: 'package-lock.json' }
  const from = { library: 'vite', version: '6.0.0', ...pin }
  const chosen = { version: '6.0.0', versions: ['6.0.0', '7.0.0'], from }
  expect(versionRule(chosen, null)).toBe('package-lock.json names vite 6.0.1')
  expect(versionRule(chosen, '6')).toBe('the newest "6"')
})

test('explains a typed version', () => {
  check('1.0', ['1.0', '2.0'], '"1.0" was requested')
  check('1', ['1.4.2', '1.4.1'], 'the newest "1"')
  check('v1.4.2', ['1.4.2'], '"v1.4.2" means it')
  check('latest', ['2.0', '1.0'], 'the newest, since none is called "latest"')
  check('>=1 <2', ['1.5', '1.4'], '">=1 <2" allows it')
  check('all', ['1.5', '1.4'], '"all" was requested')
  check('1.4,2', ['1.4', '2.0'], '"1.4,2" was requested')
  check('1.4,2', ['2.0', '1.4'], 'of "1.4,2", the newest "2"')
})

test('follows a folder unless a user chose the label or it came from a pack', () => {
  const source: Source = { kind: 'local_path', path: '/a' }
  const archive: Source = { kind: 'archive', url: '/a.zip', docsPaths: [] }
  const git: Source = { kind: 'git_repo', url: 'https://x.org/a', docsPaths: [] }
  expect(isAutomaticLabel({ version: 'local-2026-01-31', source })).toBe(true)
  expect(isAutomaticLabel({ version: 'local-2026-01-31', source: archive })).toBe(true)
  expect(isAutomaticLabel({ version: '1.0', source, ref: null, commit: null })).toBe(false)
  const commit = 'a'.repeat(40)
  expect(isAutomaticLabel({ version: 'v1', source, ref: null, commit })).toBe(true)
  expect(isAutomaticLabel({ version: 'v1', source, ref: 'v1', commit })).toBe(false)
  expect(isAutomaticLabel({ version: 'latest', source: git, ref: 'main', commit })).toBe(false)
  expect(isAutomaticLabel({ version: 'v1', source, ref: null, commit, pack: 'a.ogpack' })).toBe(
    false,
  )
})
