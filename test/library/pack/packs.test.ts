import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { packName, packsOf } from '../../../src/library/pack/packs.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'

test('a pack is called after its library and version, and never leads elsewhere', () => {
  const check = (library: string, version: string, expected: string) =>
    expect(packName({ library, version })).toBe(expected)
  check('fastapi', '0.115.0', 'fastapi-0.115.0.ogpack')
  check('@scope/ui', 'release/1', 'scope-ui-release-1.ogpack')
  check('.x', '../..', 'x-.ogpack')
})

test('what cannot be opened is said before a store is', async () => {
  await using temp = await createTempFolder('og-packs')
  const packs = packsOf(async () => {
    throw new Error('opened')
  })
  await expect(packs.add({ path: join(temp.path, 'x.ogpack'), library: null, lockTimeoutMs: 1 }))
    .rejects.toThrow('no such file')
})
