import { beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { addLibrary } from '../../../src/library/add/add.ts'
import type { AddResult } from '../../../src/library/library.ts'
import { listLibraries } from '../../../src/library/list.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import type { Source } from '../../../src/store/source.ts'
import { readEntries } from '../../../src/store/registry.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { commit, git, writeFiles, type Files } from '../../support/repository.ts'
import { openTestStore } from '../../support/test-store.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder("og add 'ü"))
const docs = () => join(temp().path, 'docs')
const folder = () => join(temp().path, 'store')
beforeEach(() => void writeFiles(docs(), pages))

const pages: Files = {
  'a.md': '# Alpha\n\nThe alpha page tells of useEffect.\n',
  'b.md': '# Beta\n\nThe beta page tells of $lookup.\n',
  'sub/c.md': '# Gamma\n\nThe gamma page.\n',
}

/** Checks only the fields of the result that `expected` contains. */
async function check(adding: Promise<AddResult>, expected: Partial<AddResult>) {
  expect(await adding).toMatchObject(expected)
}

function generations(): string[] {
  return readdirSync(join(folder(), 'generations'))
}

describe('adding a folder', () => {
  test('makes the pages of a folder searchable', async () => {
    using store = openTestStore(folder())
    const diff = { added: 3, modified: 0, deleted: 0, unchanged: 0 }
    await check(store.add('Lib', docs()), {
      library: 'Lib',
      version: '1',
      status: 'added',
      pages: 3,
      chunks: 3,
      embedded: 3,
      diff,
      skipped: [],
      failed: [],
    })
    const [hit] = await store.search('useEffect')
    expect(hit).toMatchObject({
      rank: 1,
      library: 'Lib',
      version: '1',
      url: 'doc:/a.md',
      title: 'Alpha',
      heading: 'Alpha',
      text: (pages['a.md'] as string).trimEnd(),
      startLine: 1,
      endLine: 3,
    })
    expect(hit!.chunkId).toEndWith('/doc:/a.md#0')
  })

  test('does nothing if no page has changed (W-05)', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs())
    const before = await readEntries(folder())
    const diff = { added: 0, modified: 0, deleted: 0, unchanged: 3 }
    const nothing = { status: 'unchanged', pages: 3, chunks: 3, embedded: 0, diff } as const
    await check(store.add('lib', docs()), nothing)
    expect(await readEntries(folder())).toEqual(before)
    expect(generations()).toEqual([before[0]!.live.id])
  })

  test('replaces the whole library after a change, and embeds only new texts (W-11, W-51)', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs())
    const [before] = await readEntries(folder())
    rmSync(join(docs(), 'b.md'))
    const grown = `${pages['a.md']}\n## More\n\nA section grew.\n`
    writeFiles(docs(), { 'a.md': grown, 'd.md': '# Delta\n' })
    const diff = { added: 1, modified: 1, deleted: 1, unchanged: 1 }
    const some = { status: 'updated', pages: 3, chunks: 3, embedded: 2, diff } as const
    await check(store.add('lib', docs()), some)
    const [after] = await readEntries(folder())
    expect(after!.previous).toEqual(before!.live)
    expect((await store.search('$lookup')).map(({ url }) => url)).not.toContain('doc:/b.md')
    expect((await store.search('section grew'))[0]!.url).toBe('doc:/a.md')
  })

  test('keeps only the live and the previous generation', async () => {
    using store = openTestStore(folder())
    for (const text of ['one', 'two', 'three', 'four']) {
      writeFiles(docs(), { 'a.md': text })
      await store.add('lib', docs())
    }
    await store.add('lib', docs())
    const [entry] = await readEntries(folder())
    expect(generations().sort()).toEqual([entry!.live.id, entry!.previous!.id].sort())
  })

  test('replaces the library if only a title has changed (W-17)', async () => {
    using store = openTestStore(folder())
    const page = (title: string) => ({ 'a.md': `---\ntitle: ${title}\n---\nThe same text.\n` })
    writeFiles(docs(), page('One'))
    await store.add('lib', docs())
    writeFiles(docs(), page('Two'))
    const diff = { added: 0, modified: 1, deleted: 0, unchanged: 2 }
    await check(store.add('lib', docs()), { status: 'updated', diff })
    expect((await store.search('same text'))[0]!.title).toBe('Two')
  })

  test('does nothing if only the times of files have changed', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs())
    writeFiles(docs(), pages)
    await check(store.add('lib', docs()), { status: 'unchanged' })
  })
})

describe('versions and names', () => {
  test('embeds only new texts of a second version (W-51)', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs())
    writeFiles(docs(), { 'b.md': '# Beta\n\nThe beta page has changed.\n' })
    const adding = store.add('lib', docs(), { version: '2' })
    await check(adding, { status: 'added', chunks: 3, embedded: 1 })
  })

  test('never mixes versions or libraries in search results (W-01, W-02)', async () => {
    using store = openTestStore(folder())
    for (const version of ['1', '2']) {
      for (const library of ['one', 'two']) {
        writeFiles(docs(), { 'a.md': `common words of ${library} ${version}\n` })
        await store.add(library, docs(), { version })
      }
    }
    for (const version of ['1', '2']) {
      const hits = await store.search('common words', { library: 'one', version, limit: 50 })
      expect(hits.length).toBeGreaterThan(0)
      for (const hit of hits) expect(hit).toMatchObject({ library: 'one', version })
      expect(hits[0]!.text).toBe(`common words of one ${version}`)
    }
    const all = await store.search('common words', { limit: 50 })
    expect(new Set(all.map(({ version }) => version))).toEqual(new Set(['2']))
    expect(new Set(all.map(({ library }) => library))).toEqual(new Set(['one', 'two']))
  })

  test('ignores the case of a library name, and keeps its first spelling (W-14)', async () => {
    using store = openTestStore(folder())
    await store.add('React', docs())
    await check(store.add('react', docs()), { status: 'unchanged', library: 'React' })
    await check(store.add('REACT', docs(), { version: '2' }), { status: 'added', library: 'React' })
    const found = await listLibraries(folder())
    expect(found.map((it) => `${it.library} ${it.version}`)).toEqual(['React 1', 'React 2'])
    const [hit] = await store.search('alpha', { library: 'rEACT', version: '1' })
    expect(hit!.library).toBe('React')
  })

  test('keeps one dated version of a folder, and replaces it on another day (W-13)', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs(), { version: 'local-2026-01-30' })
    const { live } = (await readEntries(folder()))[0]!
    await check(store.add('lib', docs(), { version: null }), { status: 'unchanged' })
    const [relabelled, ...others] = await readEntries(folder())
    expect(others).toEqual([])
    expect(relabelled!.version).toMatch(/^local-\d{4}-\d\d-\d\d$/)
    expect(relabelled!.version).not.toBe('local-2026-01-30')
    expect(relabelled!.live.id).toBe(live.id)
    writeFiles(docs(), { 'a.md': 'changed' })
    await check(store.add('lib', docs(), { version: 'local-2026-02-01' }), { status: 'updated' })
    const [replaced, ...more] = await readEntries(folder())
    expect(more).toEqual([])
    expect(replaced).toMatchObject({ version: 'local-2026-02-01', previous: { id: live.id } })
  })

  test('rejects names that are paths, and writes nothing (W-61)', async () => {
    using store = openTestStore(folder())
    await expect(store.add('../../x', docs())).rejects.toThrow('Cannot use library name "../../x"')
    await expect(store.add('lib', docs(), { version: 'a\0' })).rejects.toThrow('Cannot use version')
    expect(readdirSync(temp().path)).toEqual(['docs'])
    await check(store.add('@a/b', docs(), { version: '../../1' }), { status: 'added' })
    expect(readdirSync(temp().path).sort()).toEqual(['docs', 'store'])
  })
})

describe('adding a git repository', () => {
  test('gives every spelling of a version the same label (W-03), and does not fetch a stored commit again', async () => {
    using store = openTestStore(folder())
    const repository = join(temp().path, 'repository')
    const hash = commit(repository, pages)
    git(repository, 'tag', 'v1.0.0')
    const url = `file://${repository}`
    const source: Source = { kind: 'git_repo', url, docsPaths: [] }
    const add = (version: string | null) => store.add('lib', '', { source, version })
    await check(add('1.0.0'), { status: 'added', version: 'v1.0.0', pages: 3 })
    const [entry] = await readEntries(folder())
    expect(entry).toMatchObject({ live: { commit: hash, ref: 'v1.0.0' } })
    for (const typed of ['1.0.0', 'v1.0.0', '1']) {
      await check(add(typed), { status: 'unchanged', version: 'v1.0.0' })
    }
    commit(repository, { 'a.md': 'more' })
    await check(add(null), { status: 'added', version: 'latest', pages: 3 })
    commit(repository, { 'code.c': 'no documentation' })
    await check(add(null), { status: 'unchanged', version: 'latest' })
    expect(await readEntries(folder())).toHaveLength(2)
    expect((await readEntries(folder()))[1]!.live.commit).not.toBe(hash)
  })
})

describe('changed settings', () => {
  test('rejects queries with another model until the next add (W-18)', async () => {
    using one = openTestStore(folder())
    await one.add('lib', docs())
    using two = openTestStore(folder(), {
      embedder: hashEmbedder({ fingerprint: { model: 'two' } }),
    })
    await expect(two.search('alpha')).rejects.toThrow(
      'Cannot compare embeddings: library "lib" version "1" was embedded by hash (32 dimensions)',
    )
    expect((await two.search('alpha', { mode: 'full-text' }))[0]!.url).toBe('doc:/a.md')
    await check(two.add('lib', docs()), { status: 'updated', embedded: 3 })
    expect((await two.search('alpha'))[0]!.url).toBe('doc:/a.md')
  })

  test('searches embeddings of another arithmetic until the next add replaces them', async () => {
    using one = openTestStore(folder())
    await one.add('lib', docs())
    using two = openTestStore(folder(), { embedder: hashEmbedder({ arithmetic: 'other' }) })
    expect((await two.search('alpha'))[0]!.url).toBe('doc:/a.md')
    await check(two.add('lib', docs()), { status: 'updated', embedded: 3 })
    await check(two.add('lib', docs()), { status: 'unchanged' })
  })

  test('indexes only text without an embedder, and adds embeddings when one is available', async () => {
    using plain = openTestStore(folder(), { embedder: null })
    await check(plain.add('lib', docs()), { status: 'added', embedded: 0, chunks: 3 })
    expect((await plain.search('useEffect'))[0]!.url).toBe('doc:/a.md')
    using full = openTestStore(folder())
    expect((await full.search('useEffect'))[0]!.url).toBe('doc:/a.md')
    await check(full.add('lib', docs()), { status: 'updated', embedded: 3 })
  })

  test('chunks pages again if chunk sizes have changed', async () => {
    using one = openTestStore(folder())
    await one.add('lib', docs())
    using two = openTestStore(folder(), { chunkChars: 30 })
    const diff = { added: 0, modified: 0, deleted: 0, unchanged: 3 }
    await check(two.add('lib', docs()), { status: 'updated', diff })
  })
})

test('stores the requested source', async () => {
  using store = openTestStore(folder())
  const source = {
    kind: 'local_path',
    path: docs(),
    baseUrl: 'https://example.org/it%27s',
  } as const
  await addLibrary(store.opened, { library: 'lib', version: '1', source, lockTimeoutMs: 0 })
  expect((await listLibraries(folder()))[0]!.source).toEqual(source)
  expect((await store.search('alpha'))[0]!.url).toBe('https://example.org/it%27s/a.md')
})

describe('public names of an API reference', () => {
  const python = {
    'pyproject.toml': '[project]\nname = "lamp"\n',
    'lamp/__init__.py': '__all__ = ["Wick", "Oil"]\nfrom .wick import Wick\n',
    'lamp/wick.py': 'class Wick:\n    """Burns."""\n',
  }
  const groups = [{ reason: 'undeclared' as const, from: '', count: 1, names: ['lamp.Oil'] }]
  const names = { declared: 3, missing: 1, groups }

  test('are stored with the version, and kept while no source file changes', async () => {
    using store = openTestStore(folder())
    writeFiles(docs(), python)
    await check(store.add('lamp', docs()), { status: 'added', names })
    writeFiles(docs(), { 'a.md': '# Alpha\n\nAnother text.\n' })
    await check(store.add('lamp', docs()), { status: 'updated', names })
    expect((await readEntries(folder()))[0]!.live.names).toEqual(names)
    writeFiles(docs(), { 'lamp/__init__.py': '__all__ = ["Wick"]\nfrom .wick import Wick\n' })
    const whole = { declared: 2, missing: 0, groups: [] }
    await check(store.add('lamp', docs()), { status: 'unchanged', names: whole })
    expect((await readEntries(folder()))[0]!.live.names).toEqual(whole)
  })

  test('lower the health that --min-health demands', async () => {
    using store = openTestStore(folder())
    writeFiles(docs(), { ...python, 'lamp/__init__.py': '__all__ = ["Oil", "Wax"]\n' })
    const adding = store.add('lamp', docs(), { minHealth: 50 })
    await expect(adding).rejects.toMatchObject({
      hint: expect.stringContaining('1 of 3 public names; missing: 2 without a declaration'),
    })
    expect(await listLibraries(folder())).toEqual([])
  })
})
