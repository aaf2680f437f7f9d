import type { Table } from '@lancedb/lancedb'
import { collecting, collectMuch } from '../../platform/garbage.ts'
import { startPostings, type Postings } from '../postings.ts'

/** Numbers of pages in two bytes each, or in four. */
type PageNumbers = Uint16ArrayConstructor | Uint32ArrayConstructor

/**
 * Counts the terms of all chunks of each page, which is a document here and whose chunks stand
 * together; `vocabulary` has each term once.
 */
export async function pagePostings(
  chunks: Table,
  urls: readonly string[],
  kind: PageNumbers = Uint16Array,
): Promise<Postings & { vocabulary: string[] }> {
  const numbers = new Map(urls.map((url, i) => [url, i]))
  const writing = startPostings(urls.length)
  for await (const batch of collecting(chunks.query().select(['url', 'terms']))) {
    const [of, terms] = ['url', 'terms'].map((name) => batch.getChild(name)!)
    for (let row = 0; row < batch.numRows; row++) {
      const page = numbers.get(of!.get(row))
      if (page !== undefined) writing.add(page, terms!.get(row).split(' '))
    }
  }
  collectMuch()
  return { ...writing.finished(kind), vocabulary: writing.vocabulary }
}
