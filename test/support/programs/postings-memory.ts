/** Counts the terms of 4,000 pages, 250 each, and prints by how many bytes the process grew. */
import { readFileSync } from 'node:fs'
import { tableFromArrays } from 'apache-arrow'
import { pagePostings } from '../../../src/store/pages/page-index.ts'

const pages = 4000
const batchRows = 500

async function* batches() {
  for (let from = 0; from < pages; from += batchRows) {
    const numbers = Array.from({ length: batchRows }, (_, i) => from + i)
    const terms = numbers.map((page) =>
      Array.from({ length: 250 }, (_, i) => `t${(page * 37 + i * i) % 20_000}`).join(' '),
    )
    yield* tableFromArrays({ url: numbers.map(String), terms }).batches
  }
}

const table = { query: () => ({ select: batches }) }
const before = process.memoryUsage.rss()
const urls = Array.from({ length: pages }, (_, page) => String(page))
const { documents } = await pagePostings(table as never, urls)
if (documents.length < pages * 200) throw new Error(`${documents.length} counts`)
process.stdout.write(`${peakBytes() - before}\n`)

/** Linux includes in `maxRSS` the memory of the parent before it started this program. */
function peakBytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))!
  return Number(kilobytes) * 1024
}
