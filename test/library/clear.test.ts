import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { countClearable, clearIndex, clearRawPages } from '../../src/library/clear.ts'
import { jobsFolder, lockJobs } from '../../src/library/jobs/job-folder.ts'
import { lockVersion } from '../../src/library/lock.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { writeFiles, type Files } from '../support/repository.ts'
import { writeGeneration } from '../support/store.ts'
import { until } from '../support/until.ts'

const page = '{"url": "u:a", "content": "a"}'
const mark = (...files: string[]) => JSON.stringify({ state: 'complete', files })

/** Returns all files below a folder. */
function tree(folder: string): string[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((it) => !it.isDirectory())
    .map((it) => join(it.parentPath, it.name))
    .sort()
}

async function check(files: Files, left: string[]): Promise<void> {
  await using temp = await createTempFolder('og clear')
  const root = join(temp.path, 'raw')
  writeFiles(root, files)
  await clearRawPages(root)
  expect(tree(root).map((path) => path.slice(root.length + 1))).toEqual(left)
  expect(existsSync(root)).toBe(true)
}

test('deletes raw pages that og extracted, but no other file', async () => {
  await check({ 'a/1/x.json': page, 'a/1/.og-raw': mark('x.json'), 'a/1/.og-new/y': '' }, [])
  await check(
    {
      'a/1/x.json': page,
      'a/1/.og-raw': mark('x.json', 'gone.json', '../2/x.json', '/etc/passwd', '..'),
      'a/1/mine.json': page,
      'a/2/x.json': page,
      'b/latest/x.json': page,
    },
    ['a/1/mine.json', 'a/2/x.json', 'b/latest/x.json'],
  )
  await check({ 'a/1/.og-raw': 'not a mark', 'a/1/x.json': page }, ['a/1/x.json'])
})

test('does not follow links (W-61)', async () => {
  await using temp = await createTempFolder('og clear')
  const [root, other] = [join(temp.path, 'raw'), join(temp.path, 'other')]
  writeFiles(other, { 'x.json': page, '.og-raw': mark('x.json') })
  writeFiles(root, { 'a/1/.og-raw': mark('x.json') })
  symlinkSync(join(other, 'x.json'), join(root, 'a/1/x.json'))
  symlinkSync(other, join(root, 'b'))
  await clearRawPages(root)
  expect(readdirSync(other).sort()).toEqual(['.og-raw', 'x.json'])
  expect(readdirSync(root).sort()).toEqual(['a', 'b'])
  rmSync(join(root, 'b'))
})

test('keeps the folder of a job that is being started', async () => {
  await using temp = await createTempFolder('og clear')
  const [dbPath, rawDataPath] = [join(temp.path, 'store'), join(temp.path, 'raw')]
  await writeGeneration(dbPath, { a: 'x' }, { library: 'Lib' })
  const job = join(jobsFolder(dbPath), 'new')
  mkdirSync(job, { recursive: true })
  const starting = await lockJobs(dbPath)
  let isCleared = false
  let waits = 0
  const waiting = { lockTimeoutMs: 5_000, onWait: () => waits++ }
  const clearing = clearIndex(dbPath, waiting).then(() => (isCleared = true))
  const versions = async () => (await countClearable({ dbPath, rawDataPath })).versions
  await until('the index is empty', async () => (await versions()) === 0)
  await until('it reports that it waits', () => waits === 1)
  expect([isCleared, existsSync(job)]).toEqual([false, true])
  starting[Symbol.dispose]()
  await clearing
  expect(existsSync(job)).toBe(false)
})

test("counts only og's own data, and waits for writers", async () => {
  await using temp = await createTempFolder('og clear')
  const [dbPath, rawDataPath] = [join(temp.path, 'store'), join(temp.path, 'raw')]
  await writeGeneration(dbPath, { a: 'x' }, { library: 'Lib' })
  writeFiles(rawDataPath, {
    'a/1/x.json': page,
    'a/1/.og-raw': mark('x.json'),
    'b/latest/x.json': page,
  })
  expect(await countClearable({ dbPath, rawDataPath })).toEqual({
    libraries: 1,
    versions: 1,
    chunks: 1,
    isDamaged: false,
    generations: 1,
    hasCache: false,
    rawFolders: [join(rawDataPath, 'a/1')],
    rawOthers: 1,
  })
  const request = { library: 'lib', version: '1', lockTimeoutMs: 0 }
  const lock = await lockVersion(dbPath, request)
  await expect(clearIndex(dbPath, { lockTimeoutMs: 0 })).rejects.toThrow('another process')
  lock[Symbol.dispose]()
  expect(await clearIndex(dbPath, { lockTimeoutMs: 0 })).toBe(0)
  expect((await countClearable({ dbPath, rawDataPath })).versions).toBe(0)
})

test('waits for a version that another process is adding', async () => {
  await using temp = await createTempFolder('og clear')
  const dbPath = join(temp.path, 'store')
  await writeGeneration(dbPath, { a: 'x' }, { library: 'first' })
  const lock = (library: string) => lockVersion(dbPath, { library, version: '1', lockTimeoutMs: 0 })
  const first = await lock('first')
  const waits: number[] = []
  const clearing = clearIndex(dbPath, {
    lockTimeoutMs: 30_000,
    async onWait() {
      waits.push(waits.length)
      if (waits.length > 1) return second![Symbol.dispose]()
      second = await lock('second')
      await writeGeneration(dbPath, { a: 'y' }, { library: 'second' })
      first[Symbol.dispose]()
    },
  })
  let second: Disposable | undefined
  expect(await clearing).toBe(0)
  expect(waits).toEqual([0, 1])
  expect(existsSync(join(dbPath, 'registry.json'))).toBe(false)
})
