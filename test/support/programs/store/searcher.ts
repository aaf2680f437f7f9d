/**
 * Searches the live generation in a folder. Prints the hits, and the libraries of LanceDB that this
 * process has loaded.
 */
import { readFileSync } from 'node:fs'
import { hashEmbedder } from '../../hash-embedder.ts'
import { openLive } from '../../store.ts'

const [open] = await openLive(process.argv[2]!)
open!.prepareSearch()
const byText = await open!.fullText(['two'], 9)
const byVector = await open!.nearest(
  await hashEmbedder({ fingerprint: { dimensions: 384 } }).embedQuery('two'),
  9,
)
const rows = await open!.chunks(byVector.map(({ rowId }) => rowId))
await open!.pageTexts([...(await open!.pageHeads()).keys()])
const urls = new Set([...byText, ...byVector, ...rows].map(({ url }) => url))
const maps = readFileSync('/proc/self/maps', 'utf8')
const libraries = [...new Set(maps.match(/\S*lancedb\S*\.node/g))]
console.log(JSON.stringify({ hits: [...urls].sort(), libraries }))
