import { expect, test } from 'bun:test'
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openEntryCache } from '../../src/library/entries.ts'
import { freeUnusedData } from '../../src/library/free.ts'
import { openKernels } from '../../src/platform/kernels/kernels.ts'
import { writeFiles } from '../support/repository.ts'
import { openHome } from '../support/run-og.ts'
import { serveEmbeddings } from '../support/servers/embedding-server.ts'
import { homePaths } from '../support/run/home-paths.ts'

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
