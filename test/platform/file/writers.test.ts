import { expect, test } from 'bun:test'
import { appendFileSync, closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { readFinalBytes, hasNoWriter, canSeeWriters } from '../../../src/platform/file/exchange.ts'
import { testWhere } from '../../support/where.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og writers'))
const path = join(temp.path, 'a')

const text = async (sees: boolean) => {
  const { bytes, isHeld } = await readFinalBytes(path, sees)
  return [bytes.toString(), isHeld]
}

const seen = (() => {
  const probe =
    process.platform === 'linux' && canSeeWriters(import.meta.path, statSync(import.meta.path))
  return testWhere(probe ? null : 'the system does not tell who writes a file')
})()

seen('reads a file that is being written after its writer has closed it', async () => {
  writeFileSync(path, 'one')
  const fd = openSync(path, 'a')
  expect(hasNoWriter(path)).toBe(false)
  setTimeout(() => writeSync(fd, ' two'), 50)
  setTimeout(() => closeSync(fd), 100)
  expect(await text(true)).toEqual(['one two', false])
  expect(hasNoWriter(path)).toBe(true)
})

seen('reports a writer that never closes the file', async () => {
  writeFileSync(path, 'one')
  const fd = openSync(path, 'a')
  expect(await text(true)).toEqual(['one', true])
  closeSync(fd)
})

test('waits until a file stops changing if the system does not report writers', async () => {
  writeFileSync(path, 'one')
  for (const ms of [5, 15, 25]) setTimeout(() => appendFileSync(path, '.'), ms)
  expect(await text(false)).toEqual(['one...', false])
})
