import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { appendChunks } from '../../../src/store/chunks/chunk-table.ts'
import { searchLiteral } from '../../../src/store/chunks/literal.ts'
import { loadLance } from '../../../src/store/lance.ts'
import { chunkRow } from '../../support/store.ts'

test('finds a text as written, first where a page names it', async () => {
  await using temp = await createTempFolder('og literal ')
  const database = await (await loadLance()).connect(temp.path)
  const rows = [
    chunkRow('listing', 'f(a=>b)\n'.repeat(40)),
    chunkRow('prose', "The => arrow, which isn't `<=>`"),
    chunkRow('named', 'The `=>` arrow, at length: it makes a function of a list of names.'),
    chunkRow('none', '100 % of it = >'),
  ]
  const chunks = await appendChunks({ database, table: null }, rows, null)
  const urls = async (text: string, limit: number) =>
    (await searchLiteral(chunks, text, limit)).map(({ url }) => url)
  expect(await urls('=>', 5)).toEqual(['named', 'prose', 'listing'])
  expect(await urls('=>', 1)).toEqual(['named'])
  expect(await urls("isn't", 5)).toEqual(['prose'])
  expect(await urls('%', 5)).toEqual(['none'])
})
