import { expect, spyOn, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import {
  createGeneration,
  hasGeneration,
  leaseGeneration,
  sweepGenerations,
} from '../../src/store/generation.ts'
import { changeEntries, readEntries } from '../../src/store/registry.ts'
import { startScript } from '../support/child.ts'
import { chunkRow, openLive, pageRow, publish, writeGeneration } from '../support/store.ts'
import { testWhere } from '../support/where.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder("og store 'ü"))
const folder = () => join(temp().path, 'store')

/** Checks which generations a sweep deletes and which it keeps. */
async function checkSweep(swept: string[], left: string[]) {
  expect((await sweepGenerations(folder())).sort()).toEqual([...swept].sort())
  expect(readdirSync(join(folder(), 'generations')).sort()).toEqual([...left].sort())
}

test('hides a generation until it is published', async () => {
  const { id } = await writeGeneration(folder(), { a: 'one' })
  expect(await readEntries(folder())).toEqual([])
  expect(hasGeneration(folder(), id)).toBe(true)
  expect(await openLive(folder())).toEqual([])
  const { id: live } = await writeGeneration(folder(), { a: 'two' }, { library: 'lib' })
  const [open] = await openLive(folder())
  expect(open!.generation.id).toBe(live)
  expect((await open!.page('a'))!.text).toBe('two')
  open![Symbol.dispose]()
})

test('fails if an index cannot be built, rather than answering without it (W-19)', async () => {
  using writer = await createGeneration(folder())
  await writer.appendPages([pageRow('a', 'one')])
  await writer.appendChunks([chunkRow('a', 'one')], null)
  rmSync(join(folder(), 'generations', writer.id, 'chunks.lance'), { recursive: true })
  await expect(writer.finish()).rejects.toThrow()
})

test('never writes to a finished generation again (W-52)', async () => {
  const { id } = await writeGeneration(folder(), { a: 'one' }, { library: 'lib' })
  const state = () =>
    readdirSync(join(folder(), 'generations', id), { recursive: true })
      .sort()
      .map((name) => `${name} ${statSync(join(folder(), 'generations', id, String(name))).mtimeMs}`)
  const before = state()
  await writeGeneration(folder(), { b: 'two' }, { library: 'other' })
  await sweepGenerations(folder())
  expect(state()).toEqual(before)
})

const lack = process.platform === 'linux' ? null : 'Linux alone tells which file a handle is of'
testWhere(lack)('syncs a finished generation to disk, except its lease', async () => {
  using writer = await createGeneration(folder())
  await writer.keepLicense('As is.')
  await writer.appendPages([pageRow('a', 'one')])
  await writer.appendChunks([chunkRow('a', 'one')], null)
  const synced = await pathsSynced(() => writer.finish())
  const path = join(folder(), 'generations', writer.id)
  const below = readdirSync(path, { recursive: true }).map((name) => join(path, String(name)))
  const files = below.filter((it) => it !== join(path, 'lease'))
  expect(synced).toEqual([...files, path, dirname(path)].sort())
})

async function pathsSynced(work: () => Promise<void>): Promise<string[]> {
  const paths = new Set<string>()
  await using any = await open(folder())
  const spies = (['sync', 'datasync'] as const).map((name) => {
    const handles = Object.getPrototypeOf(any) as FileHandle
    const sync = handles[name]
    return spyOn(handles, name).mockImplementation(function (this: FileHandle) {
      paths.add(readlinkSync(`/proc/self/fd/${this.fd}`))
      return sync.call(this)
    })
  })
  await work().finally(() => spies.forEach((spy) => spy.mockRestore()))
  return [...paths].sort()
}

test('keeps the live and the previous generation, and sweeps orphans', async () => {
  const ids = []
  for (const text of ['one', 'two', 'three']) {
    ids.push((await writeGeneration(folder(), { a: text }, { library: 'lib' })).id)
  }
  const { id: other } = await writeGeneration(folder(), { a: 'x' }, { library: 'other' })
  const { id: orphan } = await writeGeneration(folder(), { a: 'orphan' })
  await checkSweep([ids[0]!, orphan], [ids[1]!, ids[2]!, other])
  await checkSweep([], [ids[1]!, ids[2]!, other])
  await changeEntries(folder(), () => [])
  await checkSweep([ids[1]!, ids[2]!, other], [])
})

test('keeps a generation being written until its writer dies', async () => {
  const mine = await createGeneration(folder())
  await mine.appendPages([pageRow('a', 'x')])
  await mine.finish()
  await using child = startScript('store/generation-holder.ts', ['write', folder()])
  const theirs = (await child.line())!
  await checkSweep([], [mine.id, theirs])
  await child.kill()
  await checkSweep([theirs], [mine.id])
  // Another process checks the lock too, because this process could see a lock that others do not.
  expect(await sweepElsewhere()).toBe('')
  mine[Symbol.dispose]()
  expect(await sweepElsewhere()).toBe(mine.id)
})

test('keeps a generation that a reader has open, and the reader continues', async () => {
  const { id: old } = await writeGeneration(folder(), { a: 'old' }, { library: 'lib' })
  const [mine] = await openLive(folder())
  await using child = startScript('store/generation-holder.ts', ['read', folder()])
  expect(await child.line()).toBe(old)
  for (const a of ['new', 'newer']) await writeGeneration(folder(), { a }, { library: 'lib' })
  expect(await sweepGenerations(folder())).toEqual([])
  expect(await sweepElsewhere()).toBe('')
  child.write('\n')
  expect(JSON.parse((await child.line())!).text).toBe('old')
  expect((await mine!.page('a'))!.text).toBe('old')
  mine![Symbol.dispose]()
  expect(await sweepGenerations(folder())).toEqual([])
  await child.kill()
  expect(await sweepGenerations(folder())).toEqual([old])
})

test('refuses a lease on a deleted generation, and a reader opens the live one', async () => {
  const { id: old } = await writeGeneration(folder(), { a: 'old' }, { library: 'lib' })
  await changeEntries(folder(), () => [])
  expect(await sweepGenerations(folder())).toEqual([old])
  expect(leaseGeneration(folder(), old)).toBe(null)
  expect(hasGeneration(folder(), old)).toBe(false)
})

test('finishes the sweep of a killed process, and keeps foreign files', async () => {
  const root = join(folder(), 'generations')
  const { id } = await writeGeneration(folder(), { a: 'x' }, { library: 'lib' })
  mkdirSync(join(root, '.deleted-abc', 'pages.lance'), { recursive: true })
  const unleased = 'mabcdefg-0123abcd'
  mkdirSync(join(root, unleased))
  mkdirSync(join(root, 'photos'))
  writeFileSync(join(root, '.DS_Store'), '')
  await checkSweep(['.deleted-abc', unleased], ['.DS_Store', id, 'photos'])
})

test('deletes no generation if the registry cannot be read', async () => {
  const { id } = await writeGeneration(folder(), { a: 'x' }, { library: 'lib' })
  writeFileSync(join(folder(), 'registry.json'), '{"format": 99, "entries": []}')
  await expect(sweepGenerations(folder())).rejects.toThrow('its format is 99')
  expect(hasGeneration(folder(), id)).toBe(true)
})

test('reports a missing live generation, and the remedy', async () => {
  const { id } = await writeGeneration(folder(), { a: 'x' }, { library: 'lib' })
  rmSync(join(folder(), 'generations', id), { recursive: true })
  await expect(openLive(folder())).rejects.toThrow('Cannot read library "lib" version "1": ')
})

test('follows the registry if a query races with a replacement', async () => {
  const texts = ['one', 'two', 'three', 'four', 'five', 'six']
  await writeGeneration(folder(), { a: 'zero' }, { library: 'lib' })
  let done = false
  const replacing = (async () => {
    for (const text of texts) {
      const live = await writeGeneration(folder(), { a: text })
      await publish(folder(), 'lib', live)
      await sweepGenerations(folder())
    }
    done = true
  })()
  const seen = new Set<string>()
  while (!done) {
    const [open] = await openLive(folder())
    seen.add((await open!.page('a'))!.text)
    open![Symbol.dispose]()
  }
  await replacing
  expect([...seen].every((text) => ['zero', ...texts].includes(text))).toBe(true)
  expect(readdirSync(join(folder(), 'generations')).length).toBeLessThanOrEqual(3)
})

test('creates the store with the first generation', async () => {
  expect(existsSync(folder())).toBe(false)
  await writeGeneration(folder(), { a: 'x' }, { library: 'lib' })
  expect(readdirSync(folder()).sort()).toEqual(['generations', 'locks', 'registry.json'])
})

test('never sweeps a generation that another writer has just published', async () => {
  await using stack = new AsyncDisposableStack()
  const start = (library: string) =>
    stack.use(startScript('store/generation-racer.ts', [folder(), library, '100']))
  const racers = ['a', 'b', 'c', 'd'].map(start)
  const lines = await Promise.all(racers.map((racer) => Array.fromAsync(linesOf(racer))))
  expect(lines).toEqual(lines.map(() => ['done']))
  expect((await readEntries(folder())).map(({ library }) => library).sort()).toEqual([...'abcd'])
})

/** Returns the ids that a sweep in another process deletes. */
async function sweepElsewhere(): Promise<string> {
  const module = join(import.meta.dir, '../../src/store/generation.ts')
  const script = `
    import { sweepGenerations } from ${JSON.stringify(module)}
    console.log((await sweepGenerations(process.env.STORE)).join(' '))`
  const child = Bun.spawn([process.execPath, '-e', script], {
    env: { ...process.env, STORE: folder() },
    stdout: 'pipe',
  })
  return (await new Response(child.stdout).text()).trim()
}

async function* linesOf(child: { line(): Promise<string | null> }): AsyncGenerator<string> {
  for (let line = await child.line(); line !== null; line = await child.line()) yield line
}
