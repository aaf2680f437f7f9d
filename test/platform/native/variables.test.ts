import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { setNativeVariables } from '../../../src/platform/native/variables.ts'
import { startScript } from '../../support/child.ts'

test('sets the variables of native code before a worker starts, and LanceDB adds none', async () => {
  await using store = await createTempFolder('og-test')
  await using child = startScript('environment.ts', [store.path])
  const [early, late] = [await child.line(), await child.line()].map((line) => JSON.parse(line!))
  expect(await child.exited).toBe(0)
  expect(late).toEqual(early)
  expect(early).toEqual({
    TMPDIR: expect.stringMatching(/\/og-lance-\d+-\w{6}\/files$/),
    SQLITE_TMPDIR: process.env.SQLITE_TMPDIR ?? tmpdir(),
    LANCEDB_LOG: 'error',
    LANCE_FTS_NUM_SHARDS: '1',
    LANCE_FTS_PARTITION_SIZE: '512',
    LANCE_DEFAULT_IO_BUFFER_SIZE: '67108864',
    ORT_DISABLE_TELEMETRY: '1',
  })
  expect(existsSync(dirname(early.TMPDIR))).toBeFalse()
})

test('does not change process.env', () => {
  const before = { ...process.env }
  setNativeVariables()
  expect(process.env).toEqual(before)
})
