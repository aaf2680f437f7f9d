/**
 * Reads the first batch of a new table of 400 MB, and prints by how many bytes the process has
 * grown.
 */
import { createTempFolder } from '../../../../src/platform/file/files.ts'
import { appendChunks } from '../../../../src/store/chunks/chunk-table.ts'
import { loadLance } from '../../../../src/store/lance.ts'
import { residentBytes } from '../../resident.ts'
import { chunkRow } from '../../store.ts'

const dimensions = 10_000
await using temp = await createTempFolder('og-ahead-')
const database = await (await loadLance()).connect(temp.path)
const rows = Array.from({ length: 500 }, (_, i) => chunkRow(`page ${i}`, 'text'))
const block = new Float32Array(rows.length * dimensions).map(Math.random)
let table = null
for (let part = 0; part < 20; part++) {
  table = await appendChunks({ database, table }, rows, { block, dimensions })
}
Bun.gc(true)
const before = residentBytes(process.pid)
const batches = table!.query().select(['vector'])[Symbol.asyncIterator]()
await batches.next()
let grown = 0
for (let still = 0; still < 10; still++) {
  await Bun.sleep(50)
  const now = residentBytes(process.pid) - before
  if (now > grown) still = 0
  grown = Math.max(grown, now)
}
process.stdout.write(`${grown}\n`)
table!.close()
database.close()
