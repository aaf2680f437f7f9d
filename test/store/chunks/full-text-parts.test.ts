import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { appendChunks, buildFullTextIndex } from '../../../src/store/chunks/chunk-table.ts'
import { searchFullText } from '../../../src/store/chunks/chunk-search.ts'
import { loadLance } from '../../../src/store/lance.ts'
import { chunkRow } from '../../support/store.ts'

test('builds the full-text index as one part that contains each term once', async () => {
  await using temp = await createTempFolder('og full text ')
  const database = await (await loadLance()).connect(temp.path)
  const row = chunkRow('page', 'text')
  const own = (i: number) => Array.from({ length: 20 }, (_, at) => `term-${i}-${at}`).join(' ')
  const rows = Array.from({ length: 40_000 }, (_, i) => ({ ...row, terms: `common ${own(i)}` }))
  const table = await appendChunks({ database, table: null }, rows, null)
  await buildFullTextIndex(table)
  const [index] = readdirSync(join(temp.path, 'chunks.lance', '_indices'))
  const files = readdirSync(join(temp.path, 'chunks.lance', '_indices', index!))
  expect(files.filter((name) => /^part_.*_tokens/.test(name))).toHaveLength(1)
  expect(await searchFullText(table, ['common', 'term-4711-9'], { limit: 1 })).toMatchObject([
    { url: 'page' },
  ])
  table.close()
})
