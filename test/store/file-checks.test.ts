import { expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { sha256 } from '../../src/platform/hash.ts'
import { deepCheck, quickCheck } from '../../src/store/file-checks.ts'
import { writeManifest } from '../../src/store/integrity/manifest.ts'
import { openEach } from '../support/run/dispose.ts'
import { checkBytes } from '../../src/store/integrity/damage.ts'

const temp = openEach(() => createTempFolder('og file-checks'))

test('accepts the written bytes, and describes how other bytes differ', () => {
  const file = { path: 'a', size: 3, sha256: sha256('abc') }
  expect(() => checkBytes(file, Buffer.from('abc'))).not.toThrow()
  expect(() => checkBytes(file, Buffer.from('ab'))).toThrow('a has 2 bytes, 3 were written')
  expect(() => checkBytes(file, Buffer.from('abd'))).toThrow('a has changed since it was written')
})

test('reports a truncated, changed or missing file', async () => {
  const path = join(temp().path, 'index')
  writeFileSync(path, 'abc')
  await writeManifest(temp().path)
  expect(await quickCheck(temp().path)).toBeNull()
  expect(await deepCheck(temp().path)).toBeNull()
  writeFileSync(path, 'abd')
  expect(await quickCheck(temp().path)).toBe('index has changed since it was written')
  expect(await deepCheck(temp().path, 'other')).toBeNull()
  writeFileSync(path, 'ab')
  expect(await deepCheck(temp().path)).toBe('index has 2 bytes, 3 were written')
  rmSync(path)
  expect(await quickCheck(temp().path)).toBe('index is missing')
})
