import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { outputPath, packFileName, openPacks } from '../../../src/library/pack/packs.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'

test('names a pack after its library and version, never as a path', () => {
  const check = (library: string, version: string, expected: string) =>
    expect(packFileName({ library, version })).toBe(expected)
  check('fastapi', '0.115.0', 'fastapi-0.115.0.ogpack')
  check('@scope/ui', 'release/1', 'scope-ui-release-1.ogpack')
  check('.x', '../..', 'x-.ogpack')
})

test('reports a pack that cannot be opened before opening a store', async () => {
  await using temp = await createTempFolder('og-packs')
  const packs = openPacks(async () => {
    throw new Error('opened')
  })
  await expect(
    packs.add({ path: join(temp.path, 'x.ogpack'), library: null, lockTimeoutMs: 1 }),
  ).rejects.toThrow('no such file')
})

test('uses the default file name in a folder', async () => {
  await using temp = await createTempFolder('og-packs')
  const check = (to: string | null, expected: string) =>
    expect(outputPath(to, { name: 'x.tar.gz', what: 'bundle' })).toBe(expected)
  check(null, 'x.tar.gz')
  check('.', 'x.tar.gz')
  check(temp.path, join(temp.path, 'x.tar.gz'))
  check(`${temp.path}/`, join(temp.path, 'x.tar.gz'))
  check(join(temp.path, 'y.tar.gz'), join(temp.path, 'y.tar.gz'))
  expect(() => check(join(temp.path, 'none/'), '')).toThrow(
    'Cannot write bundle to "' + join(temp.path, 'none/') + '": there is no such folder',
  )
})
