import { expect, test } from 'bun:test'
import { selectEntries, type NotIndexed } from '../../../src/library/search/entry-selection.ts'
import { entryOf, generationNamed } from '../../support/store.ts'

const entries = [
  ['FastAPI', '0.115.0'],
  ['FastAPI', '0.115.10'],
  ['FastAPI', 'latest'],
  ['ray', '2.0.0'],
  ['vite', 'latest'],
].map(([library, version]) => entryOf(library!, generationNamed(`${library} ${version}`), version))

const ask = (library: string | null, version: string | null) =>
  selectEntries(entries, { library, version })

test('selects several libraries, and every version in a range', () => {
  function check(library: string | null, version: string | null, expected: string) {
    const asked = ask(library, version)
    expect(asked.entries.map(({ live }) => live.id).join(', ')).toBe(expected)
    expect(asked.notIndexed).toEqual([])
  }
  check('fastapi', null, 'FastAPI 0.115.10')
  check('ray, FASTAPI,ray', null, 'ray 2.0.0, FastAPI 0.115.10')
  check('fastapi', '>=0.115 <1', 'FastAPI 0.115.10, FastAPI 0.115.0')
  check('fastapi', 'all', 'FastAPI 0.115.10, FastAPI 0.115.0, FastAPI latest')
  check(null, '>=0.115.5', 'FastAPI 0.115.10, ray 2.0.0')
  check(null, 'latest', 'FastAPI latest, vite latest')
  // Each requested version exists in only one library.
  check('ray,vite', '2,latest', 'ray 2.0.0, vite latest')
})

test('reports missing names among existing ones, and suggests similar names', () => {
  function check(library: string | null, version: string | null, expected: [string, NotIndexed[]]) {
    const asked = ask(library, version)
    const ids = asked.entries.map(({ live }) => live.id).join(', ')
    expect({ ids, notIndexed: asked.notIndexed }).toEqual({
      ids: expected[0],
      notIndexed: expected[1],
    })
  }
  check('fastapi', '0.115.0,0.116,latest', [
    'FastAPI 0.115.0, FastAPI latest',
    [{ library: 'fastapi', version: '0.116', nearest: ['0.115.10', '0.115.0', 'latest'] }],
  ])
  check('ray,fastpai', null, [
    'ray 2.0.0',
    [{ library: 'fastpai', version: null, nearest: ['FastAPI', 'ray', 'vite'] }],
  ])
  check('ray,vite', '2.0.0', [
    'ray 2.0.0',
    [{ library: 'vite', version: '2.0.0', nearest: ['latest'] }],
  ])
  check('ray,fastapi', '>=1', [
    'ray 2.0.0',
    [{ library: 'fastapi', version: '>=1', nearest: ['0.115.10', '0.115.0', 'latest'] }],
  ])
  check(null, '2,9', [
    'ray 2.0.0',
    [{ library: null, version: '9', nearest: ['2.0.0', '0.115.10', '0.115.0'] }],
  ])
})

test('throws if none of the requested libraries exists', () => {
  const failing = (library: string | null, version: string | null) => () => ask(library, version)
  expect(failing('flask', 'all')).toThrow('Library "flask" not found')
  expect(failing('flask,django', null)).toThrow('Library "flask" not found')
  expect(failing('ray', '>=3')).toThrow('Version ">=3" not found for library "ray"')
  expect(failing('ray,vite', '8,9')).toThrow('Version "8,9" not found for library "ray" or "vite"')
  expect(failing(null, '8,9')).toThrow('Version "8,9" not found for any library')
  const empty = (version: string) => selectEntries([], { library: null, version })
  expect(empty('1,2')).toEqual({ entries: [], notIndexed: [] })
  expect(() => empty('1')).toThrow('Version "1" not found for any library')
})
