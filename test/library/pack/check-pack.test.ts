import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { checkPackFile } from '../../../src/library/pack/check-pack.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { packParts, writeLampPack, writeParts } from '../../support/pack/packs.ts'

test('checks every part of a pack, including its licence', async () => {
  await using temp = await createTempFolder('og-check-pack')
  const path = await writeLampPack(temp.path, { vectors: 'none' })
  expect(checkPackFile(path)).toMatchObject({ license: null, manifest: { vectors: 'none' } })
  const { manifest, contents } = packParts(path)
  const license = { ...manifest.members[0]!, kind: 'license' as const, rows: 1 }
  const to = writeParts(join(temp.path, 'x.ogpack'), {
    manifest: { ...manifest, license: 'MIT', members: [license, ...manifest.members] },
    contents: [Buffer.from('As is.'), ...contents],
  })
  const checked = checkPackFile(to)
  expect(checked).toMatchObject({ license: 'As is.', manifest: { license: 'MIT' } })
  expect(checked.sha256).toMatch(/^[0-9a-f]{64}$/)
  // The chunks are counted even if the pack has no embeddings.
  writeParts(to, { manifest: { ...manifest, chunks: manifest.chunks + 1 }, contents })
  expect(() => checkPackFile(to)).toThrow('chunks, unlike its manifest')
})
