import { realpathSync } from 'node:fs'
import { chunkPage, type Chunk } from '../../chunk/chunk.ts'
import { embeddedTextFormatter } from '../../chunk/embedded-text.ts'
import { findRepeats } from '../../chunk/repeats.ts'
import { termsOfChunk } from '../../chunk/terms.ts'
import type { CountTokens } from '../../embed/embedder.ts'
import { openTokenizer } from '../../embed/tokenizer.ts'
import type { Page } from '../../page/page.ts'
import { sharedSandbox } from '../../platform/sandbox/sandbox.ts'
import type { ChunkRow } from '../../store/chunks/chunk-table.ts'
import type { PageRow } from '../../store/pages/page-table.ts'

/** A chunk's row and the text that is embedded for it. */
export type PreparedChunk = { row: ChunkRow; text: string }

export type CutSettings = {
  chunkChars: number | undefined
  overlapChars: number | undefined
  maxTokens: number
}

type CutInput = { page: PageRow; cutting: CutSettings; tokenizerPath: string }

/**
 * Returns a page's chunks. The sandbox process cuts the page if it can count tokens in the same
 * way.
 * @throws Error with only the reason, if the page cannot be cut
 */
export async function cutPageInSandbox(
  page: PageRow,
  cutting: CutSettings,
  { countTokens, signal }: { countTokens: CountTokens; signal: AbortSignal | undefined },
): Promise<PreparedChunk[]> {
  const { tokenizerPath } = countTokens
  if (tokenizerPath === undefined) return prepareChunk(page, cutting, countTokens)
  const input: CutInput = { page, cutting, tokenizerPath: pathElsewhere(tokenizerPath) }
  return sharedSandbox().run('cut', input, { doing: 'cutting', bytes: page.text.length, signal })
}

/** Starts a process that cuts pages while a second one parses. */
export function reserveCutter({ tokenizerPath }: CountTokens): void {
  if (tokenizerPath !== undefined) sharedSandbox().start('cut')
}

/** Returns the real path, because a path by file descriptor is invalid in another process. */
function pathElsewhere(path: string): string {
  return paths.getOrInsertComputed(path, () => realpathSync(path))
}

const paths = new Map<string, string>()

/** Cuts a page into chunks. Runs in the sandbox process. */
export function cutPage({ page, cutting, tokenizerPath }: CutInput): PreparedChunk[] {
  const counter = counters.get(tokenizerPath) ?? openTokenizer(tokenizerPath).count
  counters.set(tokenizerPath, counter)
  return prepareChunk(page, cutting, counter)
}

const counters = new Map<string, CountTokens>()

function prepareChunk(
  row: PageRow,
  cutting: CutSettings,
  countTokens: CountTokens,
): PreparedChunk[] {
  const page = { ...row, markup: row.markup as Page['markup'] }
  const textOf = embeddedTextFormatter(new Map([[row.url, findRepeats(page)]]))
  return chunkPage(page, { ...cutting, countTokens }).map((chunk) => {
    const stored = chunkRow(row, chunk)
    return { row: stored, text: textOf(stored) }
  })
}

function chunkRow(page: PageRow, chunk: Chunk): ChunkRow {
  const texts = { heading: chunk.headings.join(' > '), content: chunk.text }
  return {
    url: page.url,
    title: page.title,
    ...texts,
    terms: termsOfChunk(page, texts),
    chunk_index: chunk.chunkIndex,
    start_offset: chunk.start,
    end_offset: chunk.end,
    start_line: chunk.startLine,
    end_line: chunk.endLine,
  }
}
