import { describe, expect, test } from 'bun:test'
import { matchRef, nearestRefs, type Ref } from '../../src/version/ref-match.ts'

function refs(tags: string, branches = 'main'): Ref[] {
  const of = (kind: Ref['kind'], names: string) =>
    names
      .split(' ')
      .filter((name) => name !== '')
      .map((name) => ({ name, kind, commit: `${kind} ${name}` }))
  return [...of('branch', branches), ...of('tag', tags)]
}

describe('the ref for a version', () => {
  const check = (tags: string, requested: string, expected: string | null, branches = 'main') =>
    test(`${requested} among ${tags || branches}`, () =>
      expect(matchRef(refs(tags, branches), requested, 'drizzle')?.name ?? null).toBe(expected))

  check('1.0.0 v1.0.0', '1.0.0', '1.0.0')
  check('v1.0.0', '1.0.0', 'v1.0.0')
  check('1.0.0', 'v1.0.0', '1.0.0')
  check('', 'release/2.x', 'release/2.x', 'main release/2.x')
  check('v1.0.0', '2.0.0', null)
  check('v1.0.0', 'constructor', null)

  check('0.115.0 0.115.2 0.115.14 0.116.0', '0.115', '0.115.14')
  check('0.115.0 0.115.2 0.115.14 0.116.0', '0.115.x', '0.115.14')
  check('v1.2.0 v1.10.0 v2.0.0', '1', 'v1.10.0')
  check('v1.2.0 v1.10.0 v2.0.0', 'v1', 'v1.10.0')
  check('v18.3.1 v18.2.0 v180.0.0', '18', 'v18.3.1')
  check('v2.0.0-rc.1 v1.9.0', '2', 'v2.0.0-rc.1')
  check('v2.0.0-rc.9 v2.0.0-rc.10', '2.0', 'v2.0.0-rc.10')
  check('2.0rc9 2.0rc10', '2', '2.0rc10')
  check('v2.1.0-beta.1 v2.0.0', '2', 'v2.0.0')
  check('v2.1.0-rc.1', '2.1.0', null)
  check('1.2.3.post1', '1.2.3', '1.2.3.post1')
  check('v1.2 v1.3', '1', 'v1.3')
  check('1.15.0', '1.1', null)

  check('v17.0.2 v18.2.0 v18.3.1 v19.0.0', '^18', 'v18.3.1')
  check('v17.0.2 v18.2.0 v18.3.1 v19.0.0', '18.x', 'v18.3.1')
  check('v17.0.2 v18.2.0 v18.3.1 v19.0.0', '18.2.x', 'v18.2.0')
  check('v17.0.2 v18.2.0 v18.3.1 v19.0.0', '>=17 <19', 'v18.3.1')
  check('v17.0.2 v18.2.0 v18.3.1 v19.0.0', '>= v17, < v18', 'v17.0.2')
  check('v17.0.2 v18.2.0 v18.3.1 v19.0.0', '17 - 18.2', 'v18.2.0')
  check('v17.0.2 v18.2.0 v18.3.1 v19.0.0', '17 || 19', 'v19.0.0')
  check('v17.0.2 v18.2.0 v18.3.1 v19.0.0', '*', 'v19.0.0')
  check('v17.0.2 v18.2.0 v18.3.1 v19.0.0', '~18.2', 'v18.2.0')
  check('v17.0.2 v18.2.0 v18.3.1 v19.0.0', '^20', null)
  check('0.115.0 0.115.14 0.116.0', '~=0.115.0', '0.115.14')
  check('0.115.0 0.115.14 0.116.0', '~=0.115', '0.116.0')
  check('0.115.0 0.115.14 0.116.0', '==0.115.*', '0.115.14')
  check('0.115.0 0.115.14 0.116.0', '^0.115.2', '0.115.14')
  check('v2.0.0-rc.1 v1.9.0', '^2', 'v2.0.0-rc.1')
  check('v2.0.0-rc.1 v2.0.0 v2.1.0-beta.1', '^2', 'v2.0.0')
  check('v1.2 v1.3', '^1.2', 'v1.3')
  check('ui@1.2.3 core@1.9.0', 'ui@^1.2', 'ui@1.2.3')
  check('core@1.2.3 drizzle@1.4.0', '^1', 'drizzle@1.4.0')
  check('0.115.0 0.115.14 0.116.0', '>=0.115,!=0.116.0', '0.115.14')
  check('v1.0.0', '>=', null)
  check('v1.0.0', '^banana', null)

  check('ui@1.2.3', '1.2.3', 'ui@1.2.3')
  check('@scope/ui@1.2.3', '@scope/ui@1.2', '@scope/ui@1.2.3')
  check('ui/v1.2.3', 'ui@1.2.3', 'ui/v1.2.3')
  check('ui-1.2.3', 'ui@1.2.3', 'ui-1.2.3')
  check('core@1.2.3 drizzle@1.2.3', '1.2.3', 'drizzle@1.2.3')
  check('core@1.2.9 v1.2.3', '1.2', 'v1.2.3')

  test('throws with the names of the packages if several match', () =>
    expect(() => matchRef(refs('a@1.2.3 b@1.2.3'), '1.2.3', 'drizzle')).toThrow(
      'several packages have one',
    ))
})

describe('returns the refs most similar to a version', () => {
  const check = (tags: string, requested: string, expected: string[]) =>
    test(requested, () => expect(nearestRefs(refs(tags, ''), requested, 3)).toEqual(expected))

  check('v1.0.0 v1.0.1 v9.9.9', '1.0.2', ['v1.0.1', 'v1.0.0', 'v9.9.9'])
  check('develop main', 'devlop', ['develop', 'main'])
  check('', '1', [])
})
