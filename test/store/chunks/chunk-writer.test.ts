import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openChunkWriter } from '../../../src/store/generation.ts'
import { loadLance, embeddingsOf } from '../../../src/store/lance.ts'
import { chunkRow } from '../../support/store.ts'

test('merges small batches into few fragments, keeping their order and embeddings', async () => {
  await using temp = await createTempFolder('og writer ')
  const writer = openChunkWriter(async () => (await loadLance()).connect(temp.path))
  const [batches, size] = [60, 20]
  for (let batch = 0; batch < batches; batch++) {
    const numbers = Array.from({ length: size }, (_, i) => batch * size + i)
    const rows = numbers.map((number) => chunkRow(`page ${number}`, 'text'))
    await writer.append(rows, { block: Float32Array.from(numbers), dimensions: 1 })
  }
  const table = (await writer.whole())!
  const found: [string, number][] = []
  for await (const batch of table.query().select(['url', 'vector'])) {
    const numbers = embeddingsOf(batch, 1)
    ;[...(batch.getChild('url')! as Iterable<string>)].forEach((url, i) =>
      found.push([url, numbers[i]!]),
    )
  }
  expect(found).toEqual(Array.from({ length: batches * size }, (_, i) => [`page ${i}`, i]))
  expect(readdirSync(`${temp.path}/chunks.lance/data`).length).toBeLessThan(batches / 2)
  writer.close()
})

test('puts copied rows after appended ones, even without embeddings', async () => {
  await using temp = await createTempFolder('og writer ')
  const connect = async () => (await loadLance()).connect(temp.path)
  const from = openChunkWriter(async () => (await loadLance()).connect(`${temp.path}/from`))
  await from.append([chunkRow('copied', 'text')], null)
  const [batch] = await (await from.whole())!
    .query()
    .toArrow()
    .then((all) => all.batches)
  const writer = openChunkWriter(connect)
  expect(await writer.whole()).toBeNull()
  for (const url of ['a', 'b']) await writer.append([chunkRow(url, 'text')], null)
  await writer.copy({ schema: batch!.schema, batches: [batch!] as never, numRows: 1 })
  await writer.append([chunkRow('c', 'text')], null)
  const rows = await (await writer.whole())!.query().select(['url']).toArray()
  expect(rows.map(({ url }) => url)).toEqual(['a', 'b', 'copied', 'c'])
  writer.close()
  from.close()
})
