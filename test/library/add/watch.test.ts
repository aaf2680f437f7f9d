import { beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type UpdateOutcome,
  watchLibraries,
  type WatchRequest,
} from '../../../src/library/add/update.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import type { Source } from '../../../src/store/source.ts'
import { commit, git, writeFiles } from '../../support/repository.ts'
import { openTestStore } from '../../support/test-store.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og watch'))
const docs = () => join(temp().path, 'docs')
const store = openEach(() => openTestStore(join(temp().path, 'store')))
beforeEach(async () => {
  writeFiles(docs(), { 'a.md': '# Alpha\n', 'b.md': '# Beta\n', 'c.md': '# Gamma\n' })
  await store().add('lib', docs())
})

function shown({ library, result, error }: UpdateOutcome): string {
  if (error !== null) return `${library}: ${error.message.split(':').at(-1)!.trim()}`
  const { added, modified, deleted } = result.diff
  return `${library}: ${result.status} +${added} ~${modified} -${deleted}`
}

/**
 * Takes one step after each outcome except the last, and checks the outcomes. Ignores an outcome
 * that equals the previous one, because a busy machine may report one change twice.
 */
async function check(
  steps: (() => void)[],
  expected: string[],
  request: Partial<WatchRequest> = {},
) {
  const controller = new AbortController()
  const outcomes: string[] = []
  await watchLibraries(store().opened, {
    library: 'lib',
    version: null,
    lockTimeoutMs: 60_000,
    signal: controller.signal,
    quietMs: 50,
    onOutcome(outcome) {
      const text = shown(outcome)
      const isNews = outcomes.length === 0 || (!/unchanged/.test(text) && text !== outcomes.at(-1))
      if (!isNews) return
      const step = steps[outcomes.length]
      outcomes.push(text)
      if (step) step()
      else controller.abort()
    },
    ...request,
  })
  expect(outcomes).toEqual(expected)
}

test('indexes each change of the folder, including any number of deletions', async () => {
  await check(
    [
      () => writeFiles(docs(), { 'new/d.md': '# Delta\n', 'a.md': '# Alpha\n\nGrown.\n' }),
      () => ['b.md', 'c.md'].forEach((name) => rmSync(join(docs(), name))),
    ],
    ['lib: unchanged +0 ~0 -0', 'lib: updated +1 ~1 -0', 'lib: updated +0 ~0 -2'],
  )
  expect((await store().search('grown'))[0]!.url).toBe('doc:/a.md')
})

test('keeps the indexed pages while the folder is empty or missing', async () => {
  await check(
    [
      () => rmSync(docs(), { recursive: true }),
      () => writeFiles(docs(), { 'a.md': '# Alpha\n\nBack.\n' }),
    ],
    ['lib: unchanged +0 ~0 -0', 'lib: no such file or folder', 'lib: updated +0 ~1 -2'],
  )
})

test('watches only folders', async () => {
  const repository = join(temp().path, 'repository')
  commit(repository, { 'a.md': '# A\n' })
  const source: Source = { kind: 'git_repo', url: `file://${repository}`, docsPaths: [] }
  await store().add('remote', '', { source, version: null })
  const watching = check([], [], { library: 'remote' })
  await expect(watching).rejects.toThrow('it was not indexed from a folder')
  await check([], ['lib: unchanged +0 ~0 -0'], { library: null })
})

test('relabels a working tree after a commit, even if no page has changed', async () => {
  const clone = join(temp().path, 'clone')
  commit(clone, { 'a.md': '# A\n' })
  git(clone, 'tag', 'v1')
  await store().add('clone', clone, { version: null })
  const labels: string[] = []
  const controller = new AbortController()
  await watchLibraries(store().opened, {
    library: 'clone',
    version: null,
    lockTimeoutMs: 60_000,
    signal: controller.signal,
    quietMs: 50,
    onOutcome({ version }) {
      if (labels.at(-1) === version) return
      labels.push(version)
      if (labels.length === 1) git(clone, 'commit', '--quiet', '--allow-empty', '--message=t')
      if (labels.length === 2) git(clone, 'tag', 'v2')
      if (labels.length === 3) controller.abort()
    },
  })
  expect(labels).toEqual(['v1', expect.stringMatching(/^v1-1-g/), 'v2'])
})

test('does not watch a version that was read at a tag', async () => {
  const clone = join(temp().path, 'clone')
  commit(clone, { 'a.md': '# A\n' })
  git(clone, 'tag', 'v1')
  await store().add('clone', clone, { version: 'v1' })
  const request = { library: 'clone', version: null, lockTimeoutMs: 0 }
  const watching = watchLibraries(store().opened, {
    ...request,
    signal: new AbortController().signal,
    onOutcome() {},
  })
  await expect(watching).rejects.toThrow('it was not indexed from a folder')
})
