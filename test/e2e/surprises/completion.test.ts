/** Tests completions that need a lookup with dist/og. */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, handbook } from '../../support/e2e.ts'
import { homePaths } from '../../support/run/home-paths.ts'

test('completes sources, versions after @, models and backups', async () => {
  await using world = await createWorld()
  const env = { GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }
  const offered = async (...words: string[]) =>
    (await world.og(['__complete', '--', ...words], { env })).stdout
      .split('\n')
      .map((line) => line.split('\t')[0])
      .filter((word) => word !== '')
  expect(await offered('memory', 'restore', '')).toEqual([])
  expect(existsSync(join(world.env.HOME!, homePaths.memory))).toBe(false)
  await world.og(['add', 'kettle', '-s', handbook, '-v', '1.10'])
  await world.og(['memory', 'write', 'A fact.'], { env })
  await world.og(['memory', 'backup'], { env })
  expect(await offered('diff', 'kettle@')).toEqual(['kettle@1.10'])
  expect(await offered('sources', 'fasta')).toContain('fastapi')
  expect((await offered('reembed', 'kettle', '--model', '')).join()).toContain('bge-small')
  expect(await offered('memory', 'restore', '')).toEqual(['-1', expect.stringMatching(/^20/)])
})
