import { beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { addLibrary } from '../../../src/library/add/add.ts'
import type { LibraryContext } from '../../../src/library/library-context.ts'
import type { AddProgress, AddResult } from '../../../src/library/library.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { readEntries } from '../../../src/store/registry.ts'
import { startScript } from '../../support/child.ts'
import { countWords } from '../../support/count-words.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { writeFiles, type Files } from '../../support/repository.ts'
import { openTestStore } from '../../support/test-store.ts'
import { until } from '../../support/until.ts'
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

/** A context that cannot cut pages with this text. */
function withoutPage(context: LibraryContext, text: string): LibraryContext {
  const count = (counted: string) => {
    if (counted.includes(text)) throw new Error('took too long')
    return countWords(counted)
  }
  return { ...context, countTokens: async () => count }
}

function generations(): string[] {
  return readdirSync(join(folder(), 'generations'))
}

describe('failures', () => {
  test('rejects a source without pages, and changes nothing (W-16)', async () => {
    using store = openTestStore(folder())
    mkdirSync(join(temp().path, 'empty'))
    await expect(store.add('lib', join(temp().path, 'empty'))).rejects.toThrow(
      /^Cannot add library "lib": no documentation pages in .*empty \(0 files skipped, 0 failed\)/,
    )
    await store.add('lib', docs())
    const before = await readEntries(folder())
    for (const text of ['', '\n \n']) {
      writeFiles(join(temp().path, 'empty'), { 'a.md': text })
      const adding = store.add('lib', join(temp().path, 'empty'))
      await expect(adding).rejects.toThrow('nothing was changed')
    }
    expect(await readEntries(folder())).toEqual(before)
    expect(generations()).toEqual([before[0]!.live.id])
  })

  test('lists pages that failed, and publishes the others', async () => {
    using store = openTestStore(folder())
    writeFiles(docs(), { 'bad.ipynb': 'this is not JSON' })
    const result = await store.add('lib', docs())
    expect(result).toMatchObject({ status: 'added', pages: 3 })
    expect(result.failed).toEqual([{ url: 'doc:/bad.ipynb', reason: expect.any(String) }])
    const again = await store.add('lib', docs())
    expect(again).toMatchObject({ status: 'unchanged', failed: result.failed })
  })

  test('cuts a page again if an earlier run could not cut it', async () => {
    using store = openTestStore(folder())
    const heron = 'The heron wades. '
    writeFiles(docs(), { 'h.md': `# Heron\n\n${heron.repeat(200)}\n` })
    const context = withoutPage(store.opened, heron)
    const source = { kind: 'local_path' as const, path: docs(), baseUrl: 'doc:/' }
    const request = { library: 'lib', version: '1', source, lockTimeoutMs: 120_000 }
    const failed = [{ url: 'doc:/h.md', reason: 'took too long' }]
    const incomplete = '1 page could not be read'
    await check(addLibrary(context, request), { status: 'added', failed, incomplete })
    await check(addLibrary(context, request), { failed, incomplete })
    writeFiles(docs(), { 'a.md': '# Alpha\n\nChanged.\n' })
    await check(addLibrary(context, request), { status: 'updated', failed, incomplete })
    expect((await store.search('heron'))[0]?.url).not.toBe('doc:/h.md')
    const cut = { failed: [], incomplete: null }
    await check(store.add('lib', docs()), { status: 'updated', ...cut })
    expect((await store.search('heron'))[0]!.url).toBe('doc:/h.md')
    await check(store.add('lib', docs()), { status: 'unchanged', ...cut })
  })

  test('keeps the live generation if the embedder fails, and leaves no folder behind', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs())
    const before = await readEntries(folder())
    writeFiles(docs(), { 'a.md': 'new' })
    const embedder = {
      ...hashEmbedder(),
      embed: async () => {
        throw new Error('out of order')
      },
    }
    using broken = openTestStore(folder(), { embedder })
    await expect(broken.add('lib', docs())).rejects.toThrow('out of order')
    expect(await readEntries(folder())).toEqual(before)
    expect(generations()).toEqual([before[0]!.live.id])
  })

  test('stops at once when interrupted, and keeps the new embeddings', async () => {
    for (let i = 0; i < 100; i++) writeFiles(docs(), { [`many/${i}.md`]: `Page number ${i}.\n` })
    const embedder = hashEmbedder({ delayMs: 20 })
    using store = openTestStore(folder(), { embedder })
    const controller = new AbortController()
    const onProgress = ({ embedded }: AddProgress) => {
      if (embedded >= 32) controller.abort(new Error('Ctrl-C'))
    }
    const adding = store.add('lib', docs(), { onProgress, signal: controller.signal })
    await expect(adding).rejects.toThrow('Ctrl-C')
    expect(await readEntries(folder())).toEqual([])
    expect(generations()).toEqual([])
    await until('nothing is embedded any more', () => embedder.underWay() === 0)
    const done = embedder.embedded.length
    expect(done).toBeLessThan(80)
    await check(store.add('lib', docs()), { status: 'added', chunks: 103, embedded: 103 - done })
  })

  test('does not wait for a slow embedder when interrupted', async () => {
    const embedder = hashEmbedder({ delayMs: 250_000 })
    using store = openTestStore(folder(), { embedder })
    const controller = new AbortController()
    const adding = store.add('lib', docs(), { signal: controller.signal })
    void until('it embeds', () => embedder.underWay() > 0).then(() =>
      controller.abort(new Error('Ctrl-C')),
    )
    await expect(adding).rejects.toThrow('Ctrl-C')
    expect(embedder.underWay()).toBeGreaterThan(0)
  })

  test('keeps the old generation after kill -9, and the next add cleans up', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs())
    const before = await readEntries(folder())
    for (let i = 0; i < 200; i++) writeFiles(docs(), { [`many/${i}.md`]: `Page number ${i}.\n` })
    await using child = startScript('adder.ts', [folder(), 'lib', docs(), '5'])
    while (!(await child.line())!.startsWith('embedding 6')) continue
    await child.kill()
    expect(await readEntries(folder())).toEqual(before)
    expect((await store.search('useEffect'))[0]!.url).toBe('doc:/a.md')
    expect(generations().length).toBe(2)
    const { embedded, status } = await store.add('lib', docs())
    expect(status).toBe('updated')
    expect(embedded).toBeLessThan(200 - 40)
    expect(generations().length).toBe(2)
  })

  test('rebuilds a lost generation', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs())
    rmSync(join(folder(), 'generations'), { recursive: true })
    await check(store.add('lib', docs()), { status: 'updated', chunks: 3, embedded: 0 })
    const [entry] = await readEntries(folder())
    expect(entry!.previous).toBe(null)
    expect((await store.search('useEffect'))[0]!.url).toBe('doc:/a.md')
  })
})

describe('two writers', () => {
  test('the second writer of a version waits for the first, and then has nothing left to do', async () => {
    await using child = startScript('adder.ts', [folder(), 'lib', docs(), 'held'])
    while (!(await child.line())!.startsWith('embedding')) continue
    using store = openTestStore(folder())
    const phases = new Set<string>()
    const onProgress = ({ phase }: AddProgress) => {
      phases.add(phase)
      if (phase === 'waiting') child.write('go\n')
    }
    await check(store.add('LIB', docs(), { onProgress }), { status: 'unchanged', library: 'lib' })
    expect([...phases]).toContain('waiting')
    expect(await readEntries(folder())).toHaveLength(1)
  })

  test('a writer that does not wait reports the other writer of the same version', async () => {
    await using child = startScript('adder.ts', [folder(), 'lib', docs(), 'held'])
    while (!(await child.line())!.startsWith('embedding')) continue
    using store = openTestStore(folder())
    await expect(store.add('lib', docs(), { lockTimeoutMs: 0 })).rejects.toThrow(
      'Cannot lock library "lib" version "1": another process is writing it',
    )
  })

  test('a writer does not wait for the writer of another version, and a reader does not wait either', async () => {
    using store = openTestStore(folder())
    await store.add('lib', docs())
    const others = join(temp().path, 'others')
    writeFiles(others, { 'z.md': '# Omega\n\nNo other page has its embedding.\n' })
    await using child = startScript('adder.ts', [folder(), 'other', others, 'held'])
    while (!(await child.line())!.startsWith('embedding')) continue
    await check(store.add('lib', docs(), { version: '2', lockTimeoutMs: 0 }), { status: 'added' })
    expect((await store.search('useEffect'))[0]!.library).toBe('lib')
    expect((await readEntries(folder())).some(({ library }) => library === 'other')).toBe(false)
    child.write('go\n')
    expect(await child.exited).toBe(0)
    expect((await readEntries(folder())).some(({ library }) => library === 'other')).toBe(true)
  })
})
