import { createHash } from 'node:crypto'
import type { Page } from '../page/page.ts'
import type { SourceEvent } from '../source/source.ts'
import type { GenerationWriter } from '../store/generation.ts'
import type { PageRow } from '../store/page-table.ts'

/** What reading a source gave. The pages are in the generation once `flush` was called. */
export type Collected = {
  /** url → hash of the page. */
  hashes: Map<string, string>
  /** Characters of all pages. */
  characters: number
  contentHash: string
  skipped: { path: string; reason: string }[]
  failed: { url: string; reason: string }[]
  /** Writes pages that are still in memory. */
  flush(): Promise<void>
}

/** Pages wait in memory up to this many characters: nothing is written when nothing changed. */
const heldCharacters = 8 * 2 ** 20

/** Reads the whole source; `generation` is called when pages have to be written. */
export async function collectPages(
  events: AsyncIterable<SourceEvent>,
  generation: () => Promise<GenerationWriter>,
  options: { onPage: (pages: number) => void; signal?: AbortSignal | undefined },
): Promise<Collected> {
  const collected: Collected = {
    hashes: new Map(),
    characters: 0,
    contentHash: '',
    skipped: [],
    failed: [],
    flush,
  }
  const total = createHash('sha256')
  let held: PageRow[] = []
  let heldNow = 0
  async function flush(): Promise<void> {
    if (held.length > 0) await (await generation()).appendPages(held)
    held = []
    heldNow = 0
  }
  for await (const event of events) {
    options.signal?.throwIfAborted()
    if (event.type === 'skipped') collected.skipped.push({ path: event.path, reason: event.reason })
    if (event.type === 'failed') collected.failed.push({ url: event.url, reason: event.reason })
    if (event.type !== 'page') continue
    const row = pageRow(event.page)
    if (collected.hashes.has(row.url)) {
      collected.skipped.push({ path: row.path, reason: 'its address is that of another page' })
      continue
    }
    collected.hashes.set(row.url, row.hash)
    collected.characters += row.text.length
    total.update(`${row.url}\n${row.hash}\n`)
    held.push(row)
    heldNow += row.text.length
    if (heldNow > heldCharacters) await flush()
    options.onPage(collected.hashes.size)
  }
  collected.contentHash = total.digest('hex')
  return collected
}

/** Page counts of new hashes against those of the generation before. */
export function diffPages(
  before: Map<string, string>,
  now: Map<string, string>,
): { added: number; modified: number; deleted: number; unchanged: number } {
  const diff = { added: 0, modified: 0, deleted: 0, unchanged: 0 }
  for (const [url, hash] of now) {
    const old = before.get(url)
    if (old === undefined) diff.added++
    else if (old === hash) diff.unchanged++
    else diff.modified++
  }
  for (const url of before.keys()) if (!now.has(url)) diff.deleted++
  return diff
}

function pageRow(page: Page): PageRow {
  const row = {
    url: page.url,
    path: page.path,
    title: page.title,
    description: page.description,
    last_modified: page.lastModified ?? '',
    markup: page.markup,
    text: page.text,
  }
  // Not the date: a file that was only touched has not changed.
  const { last_modified: _, ...content } = row
  return { ...row, hash: createHash('sha256').update(JSON.stringify(content)).digest('hex') }
}
