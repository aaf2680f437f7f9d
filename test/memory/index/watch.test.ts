import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { watchWorkspace } from '../../../src/memory/memory-search.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { until } from '../../support/until.ts'

/** Writes unwatched files, then a watched one, and expects exactly one notification. */
async function check({ unwatched, watched }: { unwatched: string[]; watched: string }) {
  await using temp = await createTempFolder('og-watch')
  mkdirSync(join(temp.path, '.index'))
  let calls = 0
  using _watcher = watchWorkspace(temp.path, () => void calls++, { quietMs: 10 })
  for (const file of unwatched) {
    writeFileSync(join(temp.path, file), 'text')
    await Bun.sleep(60)
  }
  expect(calls).toBe(0)
  writeFileSync(join(temp.path, watched), 'text')
  await until('the change is told', () => calls > 0)
}

test('watches memory files', () => check({ unwatched: [], watched: 'MEMORY.md' }))
test('watches daily logs', () => check({ unwatched: [], watched: 'daily/2026-01-01.md' }))
test('ignores the index and temporary files', () =>
  check({ unwatched: ['.index/og.db', '.tmp_a.md', 'a.txt'], watched: 'MEMORY.md' }))
