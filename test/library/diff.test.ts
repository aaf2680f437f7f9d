import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { diffLibraries, parseSide } from '../../src/library/diff.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import type { Source } from '../../src/store/source.ts'
import { commit, git, writeFiles } from '../support/repository.ts'
import { openTestStore } from '../support/test-store.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const guide = '# Guide\n\nIntro.\n\n## Setup\n\nRun `install`.\n\n## Use\n\nCall `open()`.\n'

const temp = disposeAfterAll(await createTempFolder('og diff'))
const store = disposeAfterAll(openTestStore(join(temp.path, 'store')))
const repository = join(temp.path, 'repository')
commit(repository, { 'a.md': guide, 'b.md': '# Beta\n\nGone soon.\n', 'c.md': '# Same\n' })
git(repository, 'tag', 'v1')
rmSync(join(repository, 'b.md'))
const changed = guide.replace('install', 'setup').replace('## Use', '## Usage')
commit(repository, { 'a.md': changed, 'd.md': '# New\n\nA walrus.\n' })
git(repository, 'tag', 'v2')
const source: Source = { kind: 'git_repo', url: `file://${repository}`, docsPaths: [] }
for (const version of ['v1', 'v2']) await store.add('Lib', '', { source, version })

/** Compares one line per page, with its status, its path and the headings of its sections. */
async function check(from: string, to: string | null, expected: string[], text = '') {
  const sides = { from: parseSide(from)!, to: to === null ? null : parseSide(to) }
  const { pages } = await diffLibraries(store.opened, { ...sides, text })
  const shown = pages.map(({ status, path, sections }) =>
    [status, path, ...sections.map(({ heading }) => `[${heading}]`)].join(' '),
  )
  expect(shown).toEqual(expected)
}

test('compares pages of two versions by path instead of URL', async () => {
  await check('lib@v1', 'lib@v2', [
    'changed a.md [Guide > Setup] [Guide > Usage] [Guide > Use]',
    'added d.md',
    'removed b.md',
  ])
  await check('lib@v2', 'lib@v1', [
    'changed a.md [Guide > Setup] [Guide > Use] [Guide > Usage]',
    'added b.md',
    'removed d.md',
  ])
  await check('LIB@1', 'lib@v1', [])
})

test('lists only changes that mention a text', async () => {
  await check('lib@v1', 'lib@v2', ['changed a.md [Guide > Setup]'], 'INSTALL')
  await check('lib@v1', 'lib@v2', ['added d.md'], 'walrus')
  await check('lib@v1', 'lib@v2', ['removed b.md'], 'beta')
  await check('lib@v1', 'lib@v2', [], 'nowhere')
})

test('compares a version with its previous state', async () => {
  const docs = join(temp.path, 'docs')
  await check('lib', null, []).then(
    () => expect.unreachable(),
    (error) => {
      expect(error.message).toContain('has no previous state')
      expect(error.hint).toBe('og diff Lib@v1 Lib@v2 compares two versions')
    },
  )
  writeFiles(docs, { 'a.md': guide, 'b.md': '# Beta\n' })
  await store.add('local', docs)
  writeFiles(docs, { 'a.md': `---\ntitle: Other\n---\n${guide}`, 'b.md': '# Beta\n\nMore.\n' })
  await store.add('local', docs)
  await check('local@1', null, ['changed a.md', 'changed b.md [Beta]'])
})

test('parses a library name with or without a version', () => {
  expect(parseSide('fastapi')).toEqual({ library: 'fastapi', version: null })
  expect(parseSide('fastapi@0.115.0')).toEqual({ library: 'fastapi', version: '0.115.0' })
  expect(parseSide('@scope/ui')).toEqual({ library: '@scope/ui', version: null })
  expect(parseSide('npm:@scope/ui')).toEqual({ library: 'npm:@scope/ui', version: null })
  expect(parseSide('go:a.example/b@v1')).toEqual({ library: 'go:a.example/b', version: 'v1' })
  expect(parseSide('@scope/ui@1')).toEqual({ library: '@scope/ui', version: '1' })
  for (const text of ['@app.get', 'two words', 'a@', '']) expect(parseSide(text)).toBe(null)
})
