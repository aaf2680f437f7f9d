import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  readLicenseFile,
  recognizeLicense,
  readSourceLicense,
} from '../../../src/library/pack/license.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { commit, writeFiles } from '../../support/repository.ts'

const mit = readFileSync(join(import.meta.dir, '..', '..', '..', 'LICENSE'), 'utf8')

test('recognises a licence by its characteristic sentences', () => {
  expect(recognizeLicense(mit)).toBe('MIT')
  const bsd = 'Redistribution and use in source and binary forms, with or without\nmodification'
  expect(recognizeLicense(`${bsd} … may be used to endorse\n * or promote  products derived`)).toBe(
    'BSD-3-Clause',
  )
  expect(recognizeLicense(`${bsd}, are permitted`)).toBe(null)
  expect(
    recognizeLicense('Apache License\n Version 2.0, January 2004 … Grant of Patent License.'),
  ).toBe('Apache-2.0')
  expect(recognizeLicense('GNU GENERAL PUBLIC LICENSE Version 3')).toBe(null)
  // If a file contains two licences, only a person can decide which one applies.
  expect(recognizeLicense(`${mit}\n\ncc0 1.0 universal`)).toBe(null)
})

test('reads the licence of a folder, and of a repository at its commit', async () => {
  await using temp = await createTempFolder('og-license')
  const at = (name: string) => join(temp.path, name)
  writeFiles(at('docs'), { 'index.md': '# A', LICENSE: mit })
  const local = (path: string) => ({ source: { kind: 'local_path', path } as const, commit: null })
  expect(await readSourceLicense(local(at('docs')))).toEqual({ id: 'MIT', text: mit })
  expect(await readSourceLicense(local(at('none')))).toBe(null)
  writeFiles(at('other'), { 'index.md': '# A', LICENSE: { link: at('docs/LICENSE') } })
  expect(await readSourceLicense(local(at('other')))).toBe(null)
  const first = commit(at('work'), { 'docs/index.md': '# A', 'COPYING.md': mit })
  const second = commit(at('work'), { 'COPYING.md': 'All rights reserved.' })
  const url = `file://${at('work')}`
  const git = (id: string) =>
    readSourceLicense({ source: { kind: 'git_repo', url, docsPaths: ['docs'] }, commit: id })
  expect(await git(first)).toEqual({ id: 'MIT', text: mit })
  expect(await git(second)).toEqual({ id: null, text: 'All rights reserved.' })
  expect(await readLicenseFile(at('docs/LICENSE'))).toMatchObject({ id: 'MIT' })
})
