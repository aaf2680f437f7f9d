import { expect, test } from 'bun:test'
import { isGiven, namedBySource } from '../../../../src/cli/commands/library/add-source.ts'

const env = { HOME: '/home/x' }

function check(typed: string, as: string | null, expected: Record<string, string | null>): void {
  expect(namedBySource(typed, { source: null, as, version: null }, env)).toMatchObject(expected)
}

test('names the library after a source given instead of a name', () => {
  check('lamp', null, { library: 'lamp', source: null })
  check('https://github.com/o/lamp', null, { library: 'lamp', source: 'https://github.com/o/lamp' })
  check('https://docs.lamp.example/', 'other', {
    library: 'other',
    source: 'https://docs.lamp.example/',
  })
})

test('splits a version from the name', () => {
  check('lamp@1.2', null, { library: 'lamp', version: '1.2', source: null })
  check('@team/lamp', null, { library: '@team/lamp', version: null })
  check('@team/lamp@^2', null, { library: '@team/lamp', version: '^2' })
  check('npm:lamp@2', null, { library: 'lamp', source: 'npm:lamp@2', version: null })
  check('git@host.example:o/lamp', null, { library: 'lamp', source: 'git@host.example:o/lamp' })
  const named = { source: null, as: null, version: '3' }
  expect(() => namedBySource('lamp@1.2', named, env)).toThrow(/it names another one/)
})

test('requires --as for a source without a name', () => {
  expect(() =>
    namedBySource('http://127.0.0.1/', { source: null, as: null, version: null }, env),
  ).toThrow(/Cannot tell what the library of "http:\/\/127.0.0.1\/" is called/)
  const named = { source: null, as: 'x', version: null }
  expect(() => namedBySource('lamp', named, env)).toThrow(/is a name already/)
})

test('treats empty option values as not given', () => {
  expect([[], ['a'], '', 'a', false, true, null].map(isGiven)).toEqual([
    false,
    true,
    false,
    true,
    false,
    true,
    false,
  ])
})
