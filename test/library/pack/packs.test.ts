import { expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outputPath, packFileName, openPacks } from '../../../src/library/pack/packs.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'

test('derives the name of a pack from its library and version, and never creates a path', () => {
  const check = (library: string, version: string, expected: string) =>
    expect(packFileName({ library, version })).toBe(expected)
  check('fastapi', '0.115.0', 'fastapi-0.115.0.ogpack')
  check('@scope/ui', 'release/1', 'scope-ui-release-1.ogpack')
  check('.x', '../..', 'x-.ogpack')
})

test('reports an unreadable pack before it opens the store', async () => {
  await using temp = await createTempFolder('og-packs')
  const packs = openPacks(async () => {
    throw new Error('opened')
  })
  await expect(
    packs.add({ path: join(temp.path, 'x.ogpack'), library: null, lockTimeoutMs: 1 }),
  ).rejects.toThrow('no such file')
})

test('uses the default file name if the output is a folder', async () => {
  await using temp = await createTempFolder('og-packs')
  const check = (to: string | null, expected: string) =>
    expect(outputPath(to, 'x.tar.gz')).toBe(expected)
  check(null, 'x.tar.gz')
  check('.', 'x.tar.gz')
  check(temp.path, join(temp.path, 'x.tar.gz'))
  check(`${temp.path}/`, join(temp.path, 'x.tar.gz'))
  check(join(temp.path, 'y.tar.gz'), join(temp.path, 'y.tar.gz'))
  check(join(temp.path, 'new/'), join(temp.path, 'new', 'x.tar.gz'))
  check(join(temp.path, 'a', 'b'), join(temp.path, 'a', 'b', 'x.tar.gz'))
  expect(existsSync(join(temp.path, 'a', 'b'))).toBe(true)
  writeFileSync(join(temp.path, 'plain'), '')
  check(join(temp.path, 'plain'), join(temp.path, 'plain'))
  expect(() => outputPath(join(temp.path, 'plain', 'b'), 'x')).toThrow('Cannot create folder "')
})
