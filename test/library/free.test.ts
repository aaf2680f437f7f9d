import { expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  readdirSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { openEntryCache } from '../../src/library/entries.ts'
import { freeUnusedData, freeOldNatives } from '../../src/library/free.ts'
import { openKernels } from '../../src/platform/kernels/kernels.ts'
import { writeFiles } from '../support/repository.ts'
import { openHome } from '../support/run-og.ts'
import { serveEmbeddings } from '../support/servers/embedding-server.ts'
import { homePaths } from '../support/run/home-paths.ts'
import { Database } from 'bun:sqlite'
import { tmpdir } from 'node:os'
import {
  recordRollbackNatives,
  readRollbackNatives,
} from '../../src/platform/native/rollback-natives.ts'

test('deletes generations that have no registry entry, and keeps the others', async () => {
  using home = openHome()
  const docs = join(home.path, 'docs')
  for (const text of ['One.', 'Two.']) {
    writeFiles(docs, { 'a.md': `# A\n\n${text}\n` })
    await home.run(['add', 'a', '-s', docs, '-v', '1'])
  }
  const folder = join(home.path, homePaths.store)
  const states = join(folder, 'generations')
  const named = readdirSync(states)
  expect(named).toHaveLength(2)
  cpSync(join(states, named[0]!), join(states, 'zzzzzzzz-00000000'), { recursive: true })
  using entries = openEntryCache(folder, openKernels(null))
  const free = (isDry: boolean) =>
    Array.fromAsync(freeUnusedData({ folder, natives: null }, entries, { isDry }))
  const [dry] = await free(true)
  expect(dry).toMatchObject({ kind: 'states', count: 1, inUse: 0 })
  expect(existsSync(join(states, 'zzzzzzzz-00000000'))).toBe(true)
  expect((await free(false))[0]).toEqual(dry!)
  expect(readdirSync(states)).toEqual(named)
})

test('keeps the embeddings of both models if an endpoint has changed its model', async () => {
  using home = openHome()
  await using server = serveEmbeddings()
  const docs = join(home.path, 'docs')
  writeFiles(docs, { 'a.md': '# A\n\nWhat is embedded twice.\n' })
  const add = (version: string) =>
    home.run(['add', 'a', '-s', docs, '-v', version], { env: server.env })
  await add('1')
  server.changeModel()
  await add('2')
  const folder = join(home.path, homePaths.store)
  const free = async () => {
    using entries = openEntryCache(folder, openKernels(null))
    const freeing = freeUnusedData({ folder, natives: null }, entries, { isDry: false })
    return (await Array.fromAsync(freeing)).find(({ kind }) => kind === 'embeddings')
  }
  expect(await free()).toMatchObject({ count: 0, inUse: 0 })
  await home.run(['remove', 'a', '-v', '2', '--yes'])
  expect(await free()).toMatchObject({ count: 1 })
  const asked = server.texts.length
  await add('3')
  expect(server.texts.slice(asked).filter((text) => text.includes('twice'))).toHaveLength(1)
})

test('deletes the folders of other versions unless they are leased', async () => {
  const root = mkdtempSync(join(tmpdir(), 'natives-'))
  for (const name of ['00000000', '11111111', '22222222', 'verified']) {
    mkdirSync(join(root, name))
    writeFileSync(join(root, name, 'lease'), '')
    writeFileSync(join(root, name, 'a.so'), 'x'.repeat(500))
  }
  const lease = new Database(join(root, '11111111', 'lease'), { readonly: true })
  lease.query('BEGIN').get()
  lease.query('SELECT count(*) FROM sqlite_master').get()
  const free = (isDry: boolean) => freeOldNatives(root, { own: ['00000000'], isDry })
  expect(await free(true)).toEqual({ count: 1, bytes: 500, inUse: 1 })
  expect(existsSync(join(root, '22222222'))).toBe(true)
  expect(await free(false)).toEqual({ count: 1, bytes: 500, inUse: 1 })
  lease.close()
  expect(await free(false)).toEqual({ count: 1, bytes: 500, inUse: 0 })
  const left = ['00000000', '11111111', '22222222', 'verified'].map((name) =>
    existsSync(join(root, name)),
  )
  expect(left).toEqual([true, false, false, true])
  rmSync(root, { recursive: true })
})

test('keeps the folders that a rollback needs while its executable exists', async () => {
  const root = mkdtempSync(join(tmpdir(), 'natives-'))
  const [previous, elsewhere] = ['og.previous', 'og.elsewhere'].map((name) => join(root, name))
  for (const name of ['00000000', '11111111', '22222222', '33333333']) {
    mkdirSync(join(root, name))
    writeFileSync(join(root, name, 'lease'), '')
  }
  for (const path of [previous!, elsewhere!]) writeFileSync(path, '')
  await recordRollbackNatives(root, { path: previous!, folders: ['11111111'] })
  await recordRollbackNatives(root, { path: elsewhere!, folders: ['22222222'] })
  const free = async () => (await freeOldNatives(root, { own: ['00000000'], isDry: false })).count
  const left = () =>
    readdirSync(root)
      .filter((name) => /^\d+$/.test(name))
      .sort()
  expect(await free()).toBe(1)
  expect(left()).toEqual(['00000000', '11111111', '22222222'])
  await recordRollbackNatives(root, { path: previous!, folders: ['00000000'] })
  rmSync(elsewhere!)
  expect(await free()).toBe(2)
  expect(left()).toEqual(['00000000'])
  writeFileSync(join(root, '.kept.json'), '{"a": 5, ')
  expect(await free()).toBe(0)
  await recordRollbackNatives(root, { path: previous!, folders: ['00000000'] })
  expect(await readRollbackNatives(root)).toEqual(['00000000'])
  rmSync(root, { recursive: true })
})
