import { beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { AddProgress, AddResult } from '../../../src/library/library.ts'
import { lockVersion } from '../../../src/library/lock.ts'
import {
  updateEntry,
  updateLibraries,
  type UpdateRequest,
} from '../../../src/library/add/update.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import type { Source } from '../../../src/store/source.ts'
import { changeEntries, readEntries } from '../../../src/store/registry.ts'
import { startScript } from '../../support/child.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { commit, git, writeFiles, type Files } from '../../support/repository.ts'
import { html, openSite, sitemapOf, urlset } from '../../support/servers/site.ts'
import { openTestStore, type TestStore } from '../../support/test-store.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder("og update 'ü"))
const docs = () => join(temp().path, 'docs')
const folder = () => join(temp().path, 'store')
beforeEach(() => void writeFiles(docs(), pages))

const pages: Files = {
  'a.md': '# Alpha\n\nThe alpha page tells of useEffect.\n',
  'b.md': '# Beta\n\nThe beta page tells of $lookup.\n',
  'c.md': '# Gamma\n\nThe gamma page.\n',
  'd.md': '# Delta\n\nThe delta page.\n',
  'e.md': '# Epsilon\n\nThe epsilon page.\n',
  'f.md': '# Zeta\n\nThe zeta page.\n',
}

type Request = Partial<UpdateRequest>

/**
 * Updates libraries and checks each version by name: the fields of its result in `expected`, or its
 * error.
 */
async function check(
  store: TestStore,
  request: Request,
  expected: [string, Partial<AddResult> | string][],
) {
  const asked = { library: 'lib', version: null, lockTimeoutMs: 120_000, ...request }
  const outcomes = await Array.fromAsync(updateLibraries(store.opened, asked))
  expect(outcomes.map(({ library, version }) => `${library} ${version}`)).toEqual(
    expected.map(([name]) => name),
  )
  for (const [i, { result, error }] of outcomes.entries()) {
    const wanted = expected[i]![1]
    if (typeof wanted === 'string') expect(error?.message).toContain(wanted)
    else expect(result).toMatchObject(wanted)
  }
}

const unchanged = { status: 'unchanged', embedded: 0 } as const

describe('reads, chunks and embeds only changed pages (W-57)', () => {
  test('updates one page of a folder, even without the embedding cache', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs())
    const before = await vectorsOf(store)
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder(), `embeddings.sqlite${suffix}`))
    using fresh = openTestStore(folder())
    writeFiles(docs(), { 'a.md': `${pages['a.md']}\n## More\n\nA section grew.\n` })
    const diff = { added: 0, modified: 1, deleted: 0, unchanged: 5 }
    await check(fresh, {}, [['lib 1', { status: 'updated', chunks: 6, embedded: 1, diff }]])
    const after = await vectorsOf(fresh)
    expect(after.size).toBe(6)
    for (const [url, vector] of after) {
      if (url !== 'doc:/a.md') expect(vector).toEqual(before.get(url)!)
    }
    expect((await fresh.search('section grew'))[0]!.url).toBe('doc:/a.md')
    expect((await fresh.search('$lookup'))[0]!).toMatchObject({ url: 'doc:/b.md', title: 'Beta' })
  })

  test('gives the same result as a first add of the same pages (W-04)', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs())
    rmSync(join(docs(), 'b.md'))
    writeFiles(docs(), { 'a.md': '# Alpha\n\nAnother text.\n', 'g/h.md': '# New\n\nA new page.\n' })
    await check(store, {}, [['lib 1', { status: 'updated' }]])
    await store.add('fresh', docs())
    const [updated, fresh] = await Promise.all(
      ['lib', 'fresh'].map(async (library) => {
        const hits = await store.search('alpha page text useEffect', { library, limit: 50 })
        return hits
          .map(({ url, text, score }) => ({ url, text, score: score.toFixed(6) }))
          .sort((a, b) => (a.url < b.url ? -1 : 1))
      }),
    )
    expect(updated!.length).toBeGreaterThan(0)
    expect(updated).toEqual(fresh!)
    const [one, two] = await readEntries(folder())
    expect(one!.live).toMatchObject({ pages: 6, chunks: 6, contentHash: two!.live.contentHash })
  })

  test('reuses the embeddings of unchanged chunks on a changed page without the cache', async () => {
    using store = openTestStore(folder(), { chunkChars: 40 })
    const section = (word: string) => `## ${word}\n\nThe section of ${word} words.\n\n`
    writeFiles(docs(), { 'a.md': `# Page\n\n${['one', 'two', 'three'].map(section).join('')}` })
    await store.add('lib', docs())
    const suffixes = ['', '-wal', '-shm']
    for (const suffix of suffixes) rmSync(join(folder(), `embeddings.sqlite${suffix}`))
    using fresh = openTestStore(folder(), { chunkChars: 40 })
    writeFiles(docs(), { 'a.md': `# Page\n\n${['one', 'two', 'four'].map(section).join('')}` })
    await check(fresh, {}, [['lib 1', { status: 'updated', embedded: 1 }]])
  })

  test('embeds a code sample if its earlier copy disappears', async () => {
    const code = Array.from({ length: 12 }, (_, i) => `lamp.light(${i}, wick)`).join('\n')
    const section = (word: string) => `## ${word}\n\nOf ${word}:\n\n\`\`\`\n${code}\n\`\`\`\n\n`
    const sized = { chunkChars: 400 }
    using store = openTestStore(folder(), sized)
    writeFiles(docs(), { 'a.md': `# Page\n\n${section('oil')}${section('wick')}` })
    await store.add('lib', docs())
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder(), `embeddings.sqlite${suffix}`))
    const embedder = hashEmbedder()
    using fresh = openTestStore(folder(), { ...sized, embedder })
    writeFiles(docs(), { 'a.md': `# Page\n\n${section('wick')}` })
    await check(fresh, {}, [['lib 1', { status: 'updated' }]])
    expect(embedder.embedded.filter((text) => text.includes('lamp.light(7, wick)'))).toHaveLength(1)
  })

  test('reads a folder again if only file times have changed, and publishes nothing', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs())
    utimesSync(join(docs(), 'a.md'), 1, 1)
    await check(store, {}, [['lib 1', unchanged]])
  })
})

test('fetches a page a second time if only its ETag has changed (W-57)', async () => {
  using store = openTestStore(folder())
  let tag = '"1"'
  const etag = (title: string) => (request: globalThis.Request) =>
    request.headers.get('if-none-match') === tag
      ? new Response(null, { status: 304 })
      : new Response(html(title), { headers: { etag: tag, 'content-type': 'text/html' } })
  using site = openSite({ '/sitemap.xml': urlset('/a', '/b'), '/a': etag('A'), '/b': etag('B') })
  const source = sitemapOf(`${site.url}/sitemap.xml`)
  await store.add('lib', '', { source, version: null })
  tag = '"2"'
  const asked = async () => {
    site.headers.clear()
    await check(store, {}, [['lib latest', unchanged]])
    return ['/a', '/b'].map((path) => site.headers.get(path)!.get('if-none-match'))
  }
  expect(await asked()).toEqual(['"1"', '"1"'])
  expect(await asked()).toEqual(['"2"', '"2"'])
  const fewer = sitemapOf(`${site.url}/sitemap.xml`, { exclude: ['/b'] })
  await store.add('lib', '', { source: fewer, version: null })
  site.headers.clear()
  await check(store, {}, [['lib latest', unchanged]])
  expect(site.headers.get('/a')!.get('if-none-match')).toBe('"2"')
})

describe('git sources', () => {
  function source(path: string): Source {
    return { kind: 'git_repo', url: `file://${path}`, docsPaths: ['docs'] }
  }

  test('reads nothing at the same commit, and only changed blobs at another one', async () => {
    using store = openTestStore(folder())
    const repository = join(temp().path, 'repository')
    commit(repository, { 'docs/a.md': '# A\n\none\n', 'docs/b.md': '# B\n\none\n' })
    await store.add('lib', '', { source: source(repository), version: null })
    await check(store, {}, [['lib latest', unchanged]])
    const hash = commit(repository, { 'docs/b.md': '# B\n\ntwo\n' })
    const diff = { added: 0, modified: 1, deleted: 0, unchanged: 1 }
    await check(store, {}, [['lib latest', { status: 'updated', embedded: 1, diff }]])
    expect((await readEntries(folder()))[0]!.live.commit).toBe(hash)
    commit(repository, { 'code.c': 'no documentation' })
    await check(store, {}, [['lib latest', unchanged]])
  })

  test('reads the repository again at the same commit if pages have failed', async () => {
    using store = openTestStore(folder())
    const repository = join(temp().path, 'repository')
    commit(repository, { 'docs/a.md': '# A\n', 'docs/bad.ipynb': 'no JSON' })
    await store.add('lib', '', { source: source(repository), version: null })
    expect((await readEntries(folder()))[0]!.live.failed).toBe(1)
    const failed = [{ url: expect.stringContaining('bad.ipynb'), reason: expect.any(String) }]
    await check(store, {}, [['lib latest', { ...unchanged, failed }]])
    await changeEntries(folder(), ([entry]) => [{ ...entry!, live: { ...entry!.live, failed: 0 } }])
    await check(store, {}, [['lib latest', { ...unchanged, failed: [] }]])
  })

  test('rebuilds for other settings from the stored pages, without the repository', async () => {
    using store = openTestStore(folder())
    const repository = join(temp().path, 'repository')
    commit(repository, { 'docs/a.md': '# A\n\nalpha words\n' })
    await store.add('lib', '', { source: source(repository), version: null })
    // The refs can still be listed, but the objects are missing.
    rmSync(join(repository, '.git', 'objects'), { recursive: true })
    git(repository, 'init', '--quiet')
    using other = openTestStore(folder(), { embedder: hashEmbedder({ arithmetic: 'other' }) })
    await check(other, {}, [['lib latest', { status: 'updated', embedded: 1 }]])
    expect((await other.search('alpha'))[0]!.text).toContain('alpha words')
  })

  test('does not update a tag, and keeps the docs paths of a repository that has moved', async () => {
    using store = openTestStore(folder())
    const repository = join(temp().path, 'repository')
    commit(repository, { 'docs/a.md': '# A\n', 'other/b.md': '# B\n' })
    git(repository, 'tag', 'v1.0')
    await store.add('lib', '', { source: source(repository), version: '1.0' })
    const moved = join(temp().path, 'moved')
    git(temp().path, 'clone', '--quiet', repository, moved)
    const named: Source = { kind: 'git_repo', url: `file://${moved}`, docsPaths: [] }
    await check(store, { source: named }, [['lib v1.0', { pages: 1 }]])
    expect((await readEntries(folder()))[0]!.live.source).toEqual(source(moved))
  })
})

describe('failures', () => {
  test('keeps the old text of a page that cannot be read, and reports it (W-10)', async () => {
    using store = openTestStore(folder())
    const cell = { cell_type: 'markdown', metadata: {}, source: ['A notebook of walruses.'] }
    const notebook = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }
    writeFiles(docs(), { 'n.ipynb': JSON.stringify(notebook) })
    await store.add('lib', docs())
    writeFiles(docs(), { 'n.ipynb': 'cut o', 'a.md': '# Alpha\n\nChanged.\n' })
    const failed = [{ url: 'doc:/n.ipynb', reason: expect.any(String) }]
    const diff = { added: 0, modified: 1, deleted: 0, unchanged: 6 }
    await check(store, {}, [['lib 1', { status: 'updated', pages: 7, failed, kept: 1, diff }]])
    expect((await store.search('walruses'))[0]!.url).toBe('doc:/n.ipynb')
    await check(store, {}, [['lib 1', { status: 'unchanged', failed, kept: 1 }]])
    writeFiles(docs(), { 'n.ipynb': JSON.stringify(notebook) })
    await check(store, {}, [['lib 1', { status: 'unchanged', failed: [], kept: 0 }]])
    expect((await readEntries(folder()))[0]!.live.failed).toBe(0)
  })

  test('changes nothing if the source lost more than a fifth of its pages (W-10)', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs())
    const before = await readEntries(folder())
    rmSync(join(docs(), 'a.md'))
    await check(store, {}, [['lib 1', { status: 'updated', pages: 5 }]])
    const after = await readEntries(folder())
    expect(after).not.toEqual(before)
    rmSync(join(docs(), 'b.md'))
    await check(store, {}, [['lib 1', { status: 'updated', pages: 4 }]])
    const kept = await readEntries(folder())
    rmSync(join(docs(), 'c.md'))
    await check(store, {}, [['lib 1', 'it had 4 pages, and the source now has only 3 (0 failed)']])
    await expect(store.add('lib', docs())).rejects.toThrow('nothing was changed')
    expect(await readEntries(folder())).toEqual(kept)
    expect(readdirSync(join(folder(), 'generations'))).toHaveLength(2)
    await check(store, { force: true }, [['lib 1', { status: 'updated', pages: 3 }]])
  })

  test('does not count pages that have a new address as lost', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs())
    for (const name of Object.keys(pages)) rmSync(join(docs(), name))
    writeFiles(join(docs(), 'moved'), pages)
    const diff = { added: 6, modified: 0, deleted: 6, unchanged: 0 }
    await check(store, {}, [['lib 1', { status: 'updated', embedded: 0, diff }]])
  })

  test('--all continues after a failure, and updates every source (W-35)', async () => {
    using store = openTestStore(folder())
    const gone = join(temp().path, 'gone')
    writeFiles(gone, pages)
    await store.add('one', gone)
    await store.add('two', docs())
    await store.add('two', docs(), { version: '2' })
    rmSync(gone, { recursive: true })
    writeFiles(docs(), { 'a.md': '# Alpha\n\nChanged.\n' })
    await check(store, { library: null }, [
      ['one 1', 'no such file or folder'],
      ['two 1', { status: 'updated', embedded: 1 }],
      ['two 2', { status: 'updated', embedded: 0 }],
    ])
    expect((await store.search('alpha', { library: 'one' }))[0]!.url).toBe('doc:/a.md')
  })

  test('rejects a library that is not indexed', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs())
    await expect(check(store, { library: 'x' }, [])).rejects.toThrow('Library "x" not found')
    await expect(check(store, { version: '9' }, [])).rejects.toThrow('Version "9" not found')
    await store.add('lib', docs(), { version: '2' })
    const source: Source = { kind: 'local_path', path: docs() }
    await expect(check(store, { source }, [])).rejects.toThrow('it has several versions')
  })

  test('relabels a dated folder once on another day (W-13)', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs(), { version: 'local-2026-01-30' })
    const outcomes = updateLibraries(store.opened, {
      library: null,
      version: null,
      lockTimeoutMs: 0,
    })
    for await (const { version } of outcomes) expect(version).not.toBe('local-2026-01-30')
    expect(await readEntries(folder())).toHaveLength(1)
  })

  test('keeps the old generation when interrupted', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs())
    const before = await readEntries(folder())
    writeFiles(docs(), { 'a.md': 'new' })
    const slow = hashEmbedder({ delayMs: 200_000 })
    using second = openTestStore(folder(), { embedder: slow })
    const signal = AbortSignal.timeout(300)
    await expect(check(second, { signal }, [])).rejects.toThrow('timed out')
    expect(await readEntries(folder())).toEqual(before)
  })
})

test('reads a source completely, but only once, if the old generation has no validators', async () => {
  using store = openTestStore(folder())
  await store.add('lib', docs())
  const chunker = '1/1/default/0'
  await changeEntries(folder(), ([entry]) => [{ ...entry!, live: { ...entry!.live, chunker } }])
  await check(store, {}, [['lib 1', { status: 'updated', embedded: 0 }]])
  await check(store, {}, [['lib 1', unchanged]])
})

test('runs two concurrent updates one after the other, and the second has nothing left to do (W-39)', async () => {
  using store = openTestStore(folder())
  await store.add('lib', docs())
  writeFiles(docs(), { 'a.md': '# Alpha\n\nChanged.\n' })
  await using child = startScript('adder.ts', [folder(), 'lib', docs(), 'held'])
  while (!(await child.line())!.startsWith('embedding')) continue
  const onProgress = ({ phase }: AddProgress) => void (phase === 'waiting' && child.write('go\n'))
  await check(store, { onProgress }, [['lib 1', unchanged]])
  expect(await child.exited).toBe(0)
  expect((await store.search('alpha changed'))[0]!.text).toContain('Changed.')
})

test('keeps the old generation after kill -9, and the next update cleans up', async () => {
  using store = openTestStore(folder())
  await store.add('lib', docs())
  const before = await readEntries(folder())
  for (let i = 0; i < 100; i++) writeFiles(docs(), { [`many/${i}.md`]: `Page number ${i}.\n` })
  await using child = startScript('adder.ts', [folder(), 'lib', docs(), '20'])
  while (!(await child.line())!.startsWith('embedding 3')) continue
  await child.kill()
  expect(await readEntries(folder())).toEqual(before)
  expect((await store.search('alpha page useEffect'))[0]!.url).toBe('doc:/a.md')
  await check(store, {}, [['lib 1', { status: 'updated', pages: 106, chunks: 106 }]])
  expect(readdirSync(join(folder(), 'generations'))).toHaveLength(2)
})

/** Returns the embedding of the first chunk of each page. */
async function vectorsOf(store: TestStore): Promise<Map<string, number[]>> {
  using held = await store.entries((all) => all)
  const { open } = held[0]!
  const found = await open.fullText(['alpha', 'page', 'tell', 'beta', 'gamma', 'delta'], 100)
  const block = await open.embeddings(found.map(({ rowId }) => rowId))
  const dimensions = block!.length / found.length
  return new Map(
    found.map(({ url }, i) => {
      return [url, [...block!.subarray(i * dimensions, (i + 1) * dimensions)]]
    }),
  )
}

test('does not recreate a library that is removed while its update waits', async () => {
  using store = openTestStore(folder())
  await store.add('lib', docs())
  const lockTimeoutMs = 10_000
  const lock = await lockVersion(folder(), { library: 'lib', version: '1', lockTimeoutMs })
  const [entry] = await readEntries(folder())
  const updating = updateEntry(store.opened, entry!, { lockTimeoutMs })
  await changeEntries(folder(), () => [])
  lock[Symbol.dispose]()
  const { error } = await updating
  expect(error!.message).toBe(
    'Cannot update library "lib" version "1": it was removed in the meantime',
  )
  expect(await readEntries(folder())).toEqual([])
})
