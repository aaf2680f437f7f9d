import { beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { addLibrary } from '../../../src/library/add/add.ts'
import { updateLibraries } from '../../../src/library/add/update.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { readEntries } from '../../../src/store/registry.ts'
import type { Source } from '../../../src/store/source.ts'
import { commit, git, writeFiles } from '../../support/repository.ts'
import { openTestStore, type TestStore } from '../../support/test-store.ts'
import { openEach } from '../../support/run/dispose.ts'

const text = (said: string) => ({ 'docs/a.md': `# A\n\nThe lamp is ${said}.\n` })

const temp = openEach(() => createTempFolder("og turn 'ü"))
const folder = () => join(temp().path, 'store')
const clone = () => join(temp().path, 'clone')
beforeEach(() => {
  commit(clone(), text('one'))
  git(clone(), 'tag', 'v1.0.0')
  commit(clone(), text('two'))
  git(clone(), 'tag', 'v2.0.0')
})

/** Updates libraries and checks the status of each version. */
async function check(store: TestStore, expected: [string, string][]) {
  const asked = { library: 'lib', version: null, lockTimeoutMs: 120_000 }
  const outcomes = await Array.fromAsync(updateLibraries(store.opened, asked))
  expect(
    outcomes.map(({ library, version, result, error }): [string, string] => [
      `${library} ${version}`,
      result?.status ?? error!.message,
    ]),
  ).toEqual(expected)
}

const source = (more = {}): Source => ({ kind: 'local_path', path: clone(), ...more })
const versionsOf = async () => (await readEntries(folder())).map((it) => it.version)

test('reads the requested tag of a git working tree, even if another commit is checked out', async () => {
  using store = openTestStore(folder())
  writeFiles(clone(), text('changed'))
  await store.add('lib', '', { source: source(), version: '1.0.0' })
  const [hit] = await store.search('lamp')
  expect(hit).toMatchObject({ version: 'v1.0.0', text: expect.stringContaining('lamp is one') })
  expect(hit!.url).toEndWith('/clone/v1.0.0/docs/a.md')
  await check(store, [['lib v1.0.0', 'unchanged']])
  const below = source({ path: join(clone(), 'docs'), baseUrl: 'https://x.org/d/' })
  await store.add('docs', '', { source: below, version: 'v2.0.0' })
  expect((await store.search('lamp', { library: 'docs' }))[0]).toMatchObject({
    url: 'https://x.org/d/a.md',
    text: expect.stringContaining('lamp is two'),
  })
  const paths = source({ docsPaths: ['nope'] })
  await expect(store.add('lib', '', { source: paths, version: 'v2.0.0' })).rejects.toThrow('nope')
})

test('rejects a tag that the repository lacks, and suggests similar ones', async () => {
  using store = openTestStore(folder())
  const adding = store.add('lib', '', { source: source(), version: 'v9.9.9' })
  expect(await adding.catch((error) => error)).toMatchObject({
    message: expect.stringContaining('Cannot find tag or branch "v9.9.9"'),
    hint: expect.stringContaining('v2.0.0, v1.0.0'),
  })
  expect(await versionsOf()).toEqual([])
})

test('indexes a working tree as one version, labelled with its commit and changes', async () => {
  using store = openTestStore(folder())
  await store.add('lib', '', { source: source(), version: null })
  expect(await versionsOf()).toEqual(['v2.0.0'])
  writeFiles(clone(), text('changed'))
  await check(store, [['lib v2.0.0-dirty', 'updated']])
  const hash = commit(clone(), {})
  const label = `v2.0.0-1-g${hash.slice(0, 7)}`
  const changed = await store.add('lib', '', { source: source(), version: null })
  expect(changed).toMatchObject({ version: label, status: 'unchanged' })
  expect(changed).not.toHaveProperty('uncommitted')
  git(clone(), 'checkout', '--quiet', 'v1.0.0')
  await check(store, [['lib v1.0.0', 'updated']])
  expect(await versionsOf()).toEqual(['v1.0.0'])
  expect((await readEntries(folder()))[0]!.live).toMatchObject({
    ref: null,
    commit: git(clone(), 'rev-parse', 'v1.0.0'),
  })
})

test('keeps a version that was requested by name in addition to the working tree', async () => {
  using store = openTestStore(folder())
  await store.add('lib', '', { source: source(), version: 'v2.0.0' })
  const long = `v2.0.0-0-g${git(clone(), 'rev-parse', 'HEAD').slice(0, 7)}`
  expect(await store.add('lib', '', { source: source(), version: null })).toMatchObject({
    version: long,
  })
  git(clone(), 'checkout', '--quiet', 'v1.0.0')
  await check(store, [
    ['lib v2.0.0', 'unchanged'],
    ['lib v1.0.0', 'updated'],
  ])
  expect(await versionsOf()).toEqual(['v2.0.0', 'v1.0.0'])
})

test('replaces the dated version of a folder with its working tree', async () => {
  using store = openTestStore(folder())
  const plain = join(temp().path, 'plain')
  writeFiles(plain, text('one'))
  await store.add('lib', plain, { version: null })
  expect(await versionsOf()).toEqual([expect.stringMatching(/^local-/)])
  const hash = commit(plain, {})
  await check(store, [[`lib g${hash.slice(0, 7)}`, 'unchanged']])
  expect(await versionsOf()).toHaveLength(1)
})

test('does not let an agent read a repository outside its folder, even through a working tree', async () => {
  using store = openTestStore(folder())
  const project = join(temp().path, 'project')
  git(clone(), 'worktree', 'add', '--quiet', join(project, 'linked'), 'v1.0.0')
  const opened = { ...store.opened, reach: { hosts: [], folder: project } }
  const linked = { library: 'lib', source: source({ path: join(project, 'linked') }) }
  const request = { ...linked, lockTimeoutMs: 0 }
  await expect(addLibrary(opened, { ...request, version: 'v2.0.0' })).rejects.toThrow(
    'is outside the folder',
  )
  expect(await addLibrary(opened, { ...request, version: null })).toMatchObject({
    version: expect.stringMatching(/^local-/),
  })
})
