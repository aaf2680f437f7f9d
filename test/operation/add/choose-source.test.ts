import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AddInput } from '../../../src/operation/add/add-fields.ts'
import {
  withNameFromSource,
  nameOrPath,
  unusedFields,
} from '../../../src/operation/add/choose-source.ts'
import { writeFiles } from '../../support/repository.ts'
import { addInput } from '../../support/why.ts'

const surroundings = { env: {}, cwd: '/', home: '/home/x' }
const named = (input: Partial<AddInput>) =>
  withNameFromSource({ surroundings }, { ...addInput, ...input })

function check(library: string, as: string | null, expected: Record<string, string | null>): void {
  expect(named({ library, as })).toMatchObject(expected)
}

test('derives the library name if a source is given instead of a name', () => {
  check('lamp', null, { library: 'lamp', source: null })
  check('https://github.com/o/lamp', null, { library: 'lamp', source: 'https://github.com/o/lamp' })
  check('https://docs.lamp.example/', 'other', {
    library: 'other',
    source: 'https://docs.lamp.example/',
  })
})

test('separates the version from the name', () => {
  check('lamp@1.2', null, { library: 'lamp', version: '1.2', source: null })
  check('@team/lamp', null, { library: '@team/lamp', version: null })
  check('@team/lamp@^2', null, { library: '@team/lamp', version: '^2' })
  check('npm:lamp@2', null, { library: 'lamp', source: 'npm:lamp@2', version: null })
  check('git@host.example:o/lamp', null, { library: 'lamp', source: 'git@host.example:o/lamp' })
  expect(() => named({ library: 'lamp@1.2', version: '3' })).toThrow(/it contains another version/)
})

test('requires --as if the source has no name', () => {
  expect(() => named({ library: 'http://127.0.0.1/' })).toThrow(
    /Cannot derive a library name from "http:\/\/127.0.0.1\/"/,
  )
  expect(() => named({ library: 'lamp', as: 'x' })).toThrow(/is already a name/)
})

test('lists the site fields as unused if the source is not a site', () => {
  const input = { ...addInput, exclude: ['blog'], language: ['de'], below: '', api: 'none' }
  const folder = { kind: 'local_path', path: '/docs' } as const
  const page = { kind: 'web_page', url: 'https://x.example/' } as const
  expect(unusedFields(input, folder)).toEqual(['exclude'])
  expect(unusedFields(input, page)).toEqual(['exclude', 'language'])
  const filter = { filterKeywords: [], exclude: [], languages: [], trimQueryParams: false }
  const site = { kind: 'site', url: 'https://x.example/', ...filter } as const
  expect(unusedFields(input, site)).toEqual([])
})

test('uses a file in the current folder unless a list or registry has the name', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'og-choose-'))
  writeFiles(cwd, { 'notes/a.md': '# A\n', 'react/a.md': '# A\n' })
  const said: string[] = []
  const note = (_kind: string, text: string) => void said.push(text)
  const choosing = {
    config: { reach: null, sources: { autoAddLocal: false, filePath: null } },
    surroundings: { env: {}, cwd, home: cwd },
    dialog: { canAsk: false, ask: async () => false, askText: async () => '', note },
  }
  const check = (library: string, isListed = false) =>
    nameOrPath(choosing, library, { source: null, sources_file: null, isListed })
  expect(await check('notes')).toBe('./notes')
  expect(await check('other')).toBe('other')
  expect(said).toEqual([])
  expect(await check('react')).toBe('react')
  expect(await check('notes', true)).toBe('notes')
  expect(said).toEqual([
    '"react" is taken for the library of that name; og add ./react reads the one here',
    '"notes" is taken for the library of that name; og add ./notes reads the one here',
  ])
  rmSync(cwd, { recursive: true })
})
