import type { Table } from '@lancedb/lancedb'
import { hashOf, mostCount, type Postings } from '../postings.ts'

/**
 * Counts the terms of all chunks of each page, which is a document here; `vocabulary` has each term
 * once.
 */
export async function pagePostings(
  chunks: Table,
  urls: readonly string[],
): Promise<Postings & { vocabulary: string[] }> {
  const numbers = new Map(urls.map((url, i) => [url, i]))
  const lengths = new Uint32Array(urls.length)
  const counts = new Map<number, Map<number, number>>()
  const vocabulary: string[] = []
  for await (const batch of chunks.query().select(['url', 'terms'])) {
    const [of, texts] = ['url', 'terms'].map((name) => [...batch.getChild(name)!] as string[])
    texts!.forEach((text, row) => {
      const page = numbers.get(of![row]!)
      if (page === undefined || text === '') return
      for (const term of text.split(' ')) {
        const key = hashOf(term)
        const known = counts.get(key)
        const ofTerm = known ?? new Map<number, number>()
        if (known === undefined) vocabulary.push(term)
        counts.set(key, ofTerm)
        ofTerm.set(page, (ofTerm.get(page) ?? 0) + 1)
        lengths[page]!++
      }
    })
  }
  return { ...packed(counts), lengths, vocabulary }
}

function packed(counts: ReadonlyMap<number, ReadonlyMap<number, number>>) {
  const hashes = Uint32Array.from(counts.keys()).sort()
  const starts = new Uint32Array(hashes.length + 1)
  hashes.forEach((key, i) => (starts[i + 1] = starts[i]! + counts.get(key)!.size))
  const documents = new Uint16Array(starts.at(-1)!)
  const found = new Uint8Array(starts.at(-1)!)
  hashes.forEach((key, i) => {
    let at = starts[i]!
    for (const [page, count] of counts.get(key)!) {
      documents[at] = page
      found[at++] = Math.min(mostCount, count)
    }
  })
  return { hashes, starts, documents, counts: found }
}
