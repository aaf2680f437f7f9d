import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { watchWorkspace } from '../../src/memory/watch.ts'
import { createTempFolder } from '../../src/platform/files.ts'

/** Writes each file, in turn, and waits until the watcher spoke of all that it should. */
async function check(files: string[], expected: number): Promise<void> {
  await using temp = await createTempFolder('og-watch')
  mkdirSync(join(temp.path, '.index'))
  let calls = 0
  let told = Promise.withResolvers<void>()
  using _watcher = watchWorkspace(temp.path, () => (calls++, told.resolve()), { quietMs: 10 })
  for (const file of files) {
    told = Promise.withResolvers<void>()
    writeFileSync(join(temp.path, file), 'text')
    await Promise.race([told.promise, Bun.sleep(expected === 0 ? 60 : 5000)])
  }
  expect(calls).toBe(expected)
}

test('memory files and daily logs are watched', () => check(['MEMORY.md', 'daily/2026-01-01.md'], 2))
test('the index and temporary files are not', () => check(['.index/og.db', '.tmp_a.md', 'a.txt'], 0))
