import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openPackFile, toChunkRows } from '../../../src/library/pack/read-pack.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { page, writeHostile } from '../../support/pack/hostile.ts'

test('creates chunk rows with line numbers and the terms of their texts', async () => {
  await using temp = await createTempFolder('og-packed-rows')
  const one = page({ text: 'Oil\n\nlight\n' }, [
    ['', 0, 5],
    ['Use > More', 5, 11],
  ])
  using pack = openPackFile(writeHostile(join(temp.path, 'x.ogpack'), [one]))
  expect([...toChunkRows(pack, one)]).toMatchObject([
    { content: 'Oil\n\n', chunk_index: 0, start_line: 1, end_line: 1 },
    { content: 'light\n', heading: 'Use > More', chunk_index: 1, start_line: 3, end_line: 3 },
  ])
})

test('rejects terms that are missing from the text, and recomputes terms of another analyser', async () => {
  await using temp = await createTempFolder('og-packed-rows')
  const stuffed = page({ text: 'Oil' }, [['', 0, 3, 'lamp lamp index oil gas']])
  const rowsBy = (chunker: object) => {
    using pack = openPackFile(writeHostile(join(temp.path, 'x.ogpack'), [stuffed], chunker))
    return [...toChunkRows(pack, stuffed)]
  }
  expect(() => rowsBy({})).toThrow('the index terms of a chunk are not those of its text')
  const [row] = rowsBy({ chunker: '2/terms-0/parser-3/pages-5/default/0' })
  expect(row!.terms).toBe('lamp lamp index oil')
})
