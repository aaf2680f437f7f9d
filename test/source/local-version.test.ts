import { beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { checkoutOfLocal, resolveLocal } from '../../src/source/local-version.ts'
import { commit, git } from '../support/repository.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og local version'))
const clone = () => join(temp().path, 'clone')
beforeEach(() => {
  commit(clone(), { 'docs/a.md': 'A' })
  git(clone(), 'tag', 'v1.0.0')
})

const resolved = (path: string, version: string | null) =>
  resolveLocal({ kind: 'local_path', path }, { version, today: new Date(2026, 0, 31) })

test('resolves a tag, branch or commit of the repository, and latest to its head', async () => {
  const hash = git(clone(), 'rev-parse', 'HEAD')
  for (const [typed, version, ref] of [
    ['1.0', 'v1.0.0', 'v1.0.0'],
    ['main', 'main', 'main'],
    ['latest', 'latest', 'main'],
    [hash, hash, hash],
  ]) {
    expect(await resolved(join(clone(), 'docs'), typed!)).toMatchObject({
      version,
      ref,
      commit: hash,
    })
  }
})

test('accepts any label, or a date, for files that are not in the commit', async () => {
  await Bun.write(join(clone(), 'made', 'b.md'), 'B')
  expect(await resolved(join(clone(), 'made'), 'v7')).toMatchObject({ version: 'v7', ref: null })
  expect(await resolved(join(clone(), 'made'), null)).toMatchObject({
    version: 'local-2026-01-31',
    commit: null,
    follows: true,
  })
  expect(await resolved(clone(), 'local-2020-01-01')).toMatchObject({ ref: null })
})

test('explains how to get a tag that a shallow clone lacks', async () => {
  commit(clone(), { 'docs/a.md': 'B' })
  const shallow = join(temp().path, 'shallow')
  git(temp().path, 'clone', '--quiet', '--depth=1', `file://${encodeURI(clone())}`, shallow)
  expect(await resolved(shallow, 'v1.0.0').catch((error) => error)).toMatchObject({
    message: expect.stringContaining('Cannot find tag or branch "v1.0.0"'),
    hint: 'nearest: main; the clone is shallow and may lack it: git fetch --unshallow --tags',
  })
})

test('makes docs paths relative to the top of the repository', () => {
  const at = { ref: 'v1', refKind: 'tag' as const, commit: 'a' }
  const of = (path: string, docsPaths?: string[]) =>
    checkoutOfLocal({ kind: 'local_path', path, ...(docsPaths ? { docsPaths } : {}) }, at).source
  expect(of(clone()).docsPaths).toEqual([])
  expect(of(clone(), ['docs']).docsPaths).toEqual(['docs'])
  expect(of(join(clone(), 'docs')).docsPaths).toEqual(['docs'])
  expect(of(join(clone(), 'docs'), ['a.md']).docsPaths).toEqual(['docs/a.md'])
  expect(of(temp().path.concat('/clone')).url).toBe(`file://${encodeURI(clone())}`)
})
