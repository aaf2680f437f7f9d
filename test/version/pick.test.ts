import { expect, test } from 'bun:test'
import type { OgError } from '../../src/platform/error.ts'
import {
  matchingEntries,
  ofKey,
  pickEntries,
  versionDefaults,
  versionsFrom,
} from '../../src/version/pick.ts'
import type { Source } from '../../src/store/source.ts'
import { entryOf, generationNamed } from '../support/store.ts'

const entries = [
  ['FastAPI', '0.115.0'],
  ['FastAPI', '0.115.10'],
  ['FastAPI', 'latest'],
  ['ray', '2.0.0'],
  ['vite', 'latest'],
].map(([library, version]) => entryOf(library!, generationNamed(`${library} ${version}`), version))

function check(library: string | null, version: string | null, expected: string) {
  const picked = pickEntries(entries, { library, version })
  expect(picked.map(({ live }) => live.id).join(', ')).toBe(expected)
}

function checkRefused(library: string | null, version: string | null, says: [string, string]) {
  try {
    pickEntries(entries, { library, version })
    throw new Error('it was found')
  } catch (error) {
    expect([(error as OgError).message, (error as OgError).hint ?? '']).toEqual(says)
  }
}

test('finds a library in any case, by its default or the given version', () => {
  check('fastapi', null, 'FastAPI 0.115.10')
  check('FASTAPI', 'latest', 'FastAPI latest')
  check('fastapi', 'v0.115.0', 'FastAPI 0.115.0')
  check('fastapi', '0.115', 'FastAPI 0.115.10')
})

test('finds the library of a package, and a library without a package by the name', () => {
  const source = (name: string) => ({ kind: 'git_repo', url: '', docsPaths: [], package: name })
  const stored = (library: string, name: string) =>
    entryOf(library, { ...generationNamed(library), source: source(name) as Source }, '1')
  const beside = entryOf('lamp_io', generationNamed('beside'), '2')
  const all = [...entries, stored('web', 'npm:@lamp/ui'), stored('lamp_io', 'pypi:lamp_io'), beside]
  const find = (library: string) => ofKey(all, library).map((it) => it.library)
  expect(find('npm:@lamp/ui')).toEqual(['web'])
  expect(find('pypi:Lamp-IO')).toEqual(['lamp_io', 'lamp_io'])
  expect(find('npm:vite')).toEqual(['vite'])
  expect(find('npm:lamp_io')).toEqual([])
  expect(find('npm:vite@1')).toEqual([])
  expect(() => find('npm:two words')).toThrow('Cannot use "npm:two words" as a package')
})

test('searches every library if none is given', () => {
  check(null, null, 'FastAPI 0.115.10, ray 2.0.0, vite latest')
  check(null, 'latest', 'FastAPI latest, vite latest')
  check(null, '2', 'ray 2.0.0')
})

const project = {
  pins: [
    { package: 'fastapi', named: '0.115.2', file: 'uv.lock' },
    { package: 'vite', named: '6.0.0', file: 'package-lock.json' },
  ],
  warnings: [],
}

function checkProject(library: string | null, version: string | null, expected: [string, string]) {
  const wanted = { library, version, project }
  const picked = pickEntries(entries, wanted)
  const settled = versionsFrom(entries, picked, wanted)
  const ids = picked.map(({ live }) => live.id).join(', ')
  expect([ids, settled.map(({ file }) => file).join(', ')]).toEqual(expected)
}

test("prefers a version near the project's if none is given", () => {
  checkProject('fastapi', null, ['FastAPI 0.115.0', 'uv.lock'])
  checkProject('vite', null, ['vite latest', ''])
  checkProject('ray', null, ['ray 2.0.0', ''])
  checkProject(null, null, ['FastAPI 0.115.0, ray 2.0.0, vite latest', 'uv.lock'])
  checkProject('fastapi', '0.115', ['FastAPI 0.115.10', ''])
  checkProject('fastapi', 'latest', ['FastAPI latest', ''])
})

test('lists the other versions unless the version was given', () => {
  const defaults = (library: string | null, version: string | null, pins = project.pins) => {
    const wanted = { library, version, project: { pins, warnings: [] } }
    return versionDefaults(entries, pickEntries(entries, wanted), wanted)
  }
  const expected = [{ library: 'FastAPI', version: '0.115.10', others: ['0.115.0', 'latest'] }]
  expect(defaults('fastapi', null, [])).toEqual(expected)
  expect(defaults(null, null, [])).toEqual(expected)
  expect(defaults('fastapi', null)).toEqual([])
  expect(defaults('fastapi', '0.115', [])).toEqual([])
})

test('treats latest as the newest version if no version has that name', () => {
  checkProject('ray', 'latest', ['ray 2.0.0', ''])
  checkProject(null, 'latest', ['FastAPI latest, ray 2.0.0, vite latest', ''])
  expect(() => pickEntries(entries, { library: 'ray', version: 'latest' })).toThrow('not found')
})

test('chooses the newest version in a range', () => {
  check('fastapi', '^0.115.0', 'FastAPI 0.115.10')
  check('fastapi', '<0.115.10', 'FastAPI 0.115.0')
  check(null, '>=1', 'ray 2.0.0')
})

test('lists similar libraries and versions in errors', () => {
  checkRefused('fastpai', null, ['Library "fastpai" not found', 'did you mean "FastAPI"?'])
  checkRefused('vit', null, ['Library "vit" not found', 'did you mean "vite"?'])
  checkRefused('ray', '3', ['Version "3" not found for library "ray"', 'indexed: 2.0.0'])
  checkRefused(null, '9', [
    'Version "9" not found for any library',
    'indexed: 0.115.0, 0.115.10, 2.0.0, latest',
  ])
})

test('explains how to fill an empty store', () => {
  expect(pickEntries([], { library: null, version: null })).toEqual([])
  expect(() => pickEntries([], { library: 'a', version: null })).toThrow('Library "a" not found')
})

test('returns each matching version of one library', () => {
  function check(version: string | null, expected: string) {
    const mine = entries.filter(({ key }) => key === 'fastapi')
    const meant = matchingEntries(mine, { library: null, version })
    expect(meant.map((entry) => entry.version).join(', ')).toBe(expected)
  }
  check(null, '0.115.10')
  check('0.115', '0.115.10')
  check('latest,0.115.0', '0.115.0, latest')
  check('9', '')
  check('>=9', '')
})
