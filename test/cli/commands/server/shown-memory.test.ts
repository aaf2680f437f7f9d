import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openWebMemory } from '../../../../src/cli/commands/server/serve.ts'
import { createTempFolder } from '../../../../src/platform/file/files.ts'
import { openEach } from '../../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og shown'))

function opened(settings: Record<string, string> = {}) {
  const env = {
    HOME: temp().path,
    GROUNDMEMORY_ROOT_DIR: temp().path,
    GROUNDMEMORY_EMBEDDING__PROVIDER: 'none',
    ...settings,
  }
  return openWebMemory({ env, warn() {}, guardSignals: async () => {} })
}

test('shows every workspace of the root, or the configured ones', async () => {
  await using shown = await opened()
  expect(await shown.workspaces()).toEqual(['default'])
  writeFileSync(join(mkdirSync(join(temp().path, 'work'), { recursive: true })!, 'MEMORY.md'), '')
  expect(await shown.workspaces()).toEqual(['default', 'work'])
  await using named = await opened({ GROUNDMEMORY_MCP__WORKSPACES: 'team, work' })
  expect(await named.workspaces()).toEqual(['team', 'work'])
})

test('reads the keys of the memory server', async () => {
  await using open = await opened()
  expect(open.keys).toEqual([])
  const path = join(temp().path, 'keys.yaml')
  writeFileSync(path, '- {key: a-key-of-some-length, workspaces: [team], read_only: true}\n')
  const settings = { MCP__API_KEY: 'one-key-for-all-of-it', MCP__KEYS_FILE: path }
  await using shown = await opened(
    Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [`GROUNDMEMORY_${name}`, value]),
    ),
  )
  expect(shown.keys).toEqual([
    { secret: 'one-key-for-all-of-it', workspaces: null, readOnly: false },
    { secret: 'a-key-of-some-length', workspaces: ['team'], readOnly: true },
  ])
})
