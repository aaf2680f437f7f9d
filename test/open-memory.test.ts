import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadMemoryConfig } from '../src/config/memory.ts'
import { openMemories, openMemorySession } from '../src/open-memory.ts'
import { createTempFolder } from '../src/platform/file/files.ts'
import { openEach } from './support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og open-memory'))

const warn = (line: string) => {
  throw new Error(line)
}
const env = () => ({ HOME: temp().path })

test('finds written text by meaning with the built-in model', async () => {
  await using memory = await openMemorySession(env(), { root: '~/notes', warn })
  await memory.write({ file: 'MEMORY.md', content: 'The cat prefers tuna for dinner.' })
  await memory.write({ file: 'MEMORY.md', content: 'Deploys go out on Tuesdays.' })
  await memory.search.embedAll(30_000)
  const { results } = await memory.recall({ query: 'what does the pet eat', mode: 'vector' })
  expect(results[0]?.text).toContain('tuna')
  expect(memory.workspace.path).toBe(join(temp().path, 'notes', 'default'))
})

test('searches by words without unpacking natives when there is no embedder', async () => {
  const none = { ...env(), GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }
  await using memory = await openMemorySession(none, { workspace: 'work', warn })
  await memory.write({ file: 'daily', content: 'Moved the build to Thursday.' })
  const { results } = await memory.recall({ query: 'build' })
  expect(results.map(({ source }) => source)).toEqual(['daily'])
  expect(existsSync(join(temp().path, '.cache'))).toBe(false)
})

test('opens each workspace of a root once and keeps them separate', async () => {
  const none = { ...env(), GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }
  await using memories = openMemories(await loadMemoryConfig(none), none, warn)
  const [mine, same, other] = [
    await memories.session(),
    await memories.session('default'),
    await memories.session('other'),
  ]
  expect(same).toBe(mine)
  await mine.write({ file: 'MEMORY.md', content: 'Only mine.' })
  expect((await other.recall({ query: 'mine' })).count).toBe(0)
  expect((await mine.recall({ query: 'mine' })).count).toBe(1)
})

test('fails on every request for a workspace that cannot be opened', async () => {
  await using memories = openMemories(await loadMemoryConfig(env()), env(), warn)
  await expect(memories.session('../x')).rejects.toThrow('../x')
  await expect(memories.session('../x')).rejects.toThrow('../x')
})
