import { expect, test } from 'bun:test'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { sha256 } from '../../../src/platform/hash.ts'
import { checkNatives, repairNatives } from '../../../src/platform/native/check.ts'
import type { Natives } from '../../../src/platform/native/load.ts'
import { rewriteUnnoticed } from '../../support/unnoticed.ts'

test('detects and repairs a changed byte', async () => {
  await using temp = await createTempFolder('og-mend')
  const content = Buffer.from('the bytes of an addon')
  const stored = join(temp.path, 'stored')
  writeFileSync(stored, content)
  const file = { path: stored, sizeBytes: content.length, sha256: sha256(content) }
  const files = ['one.node', 'two.node'].map((name) => ({ ...file, name, parts: null }))
  const embedded = { hash: 'h1', files }
  const root = join(temp.path, 'natives')
  const folder = join(root, 'h1')
  expect(await repairNatives(embedded, root)).toEqual({ folder, repaired: [] })

  const path = join(folder, 'two.node')
  chmodSync(path, 0o600)
  rewriteUnnoticed(path, content.toString().replace('addon', 'ADDON'))
  expect(await repairNatives(embedded, root)).toEqual({ folder, repaired: ['two.node'] })
  expect(readFileSync(path)).toEqual(content)
  expect(await repairNatives(embedded, root)).toEqual({ folder, repaired: [] })
})

test('reports a missing package when run from source', async () => {
  const paths = { folder: null, kernels: null, model: null, encoder: null, tokenizer: null }
  const here = import.meta.path
  const found = ({ lancedb, onnxruntime }: Record<'lancedb' | 'onnxruntime', string>): Natives => ({
    ...paths,
    lancedb,
    onnxruntime: async () => onnxruntime,
  })
  const check = async (natives: { lancedb: string; onnxruntime: string }, expected: object) =>
    expect(await checkNatives('', async () => found(natives))).toMatchObject(expected)
  await check({ lancedb: here, onnxruntime: here }, { ok: true })
  const missing = { ok: false, detail: 'missing: /no/addon', hint: 'run npm ci' }
  await check({ lancedb: here, onnxruntime: '/no/addon' }, missing)
})
