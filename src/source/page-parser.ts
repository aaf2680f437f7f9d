import type { FileOutline } from '../api/symbol.ts'
import type { FormatName } from '../formats/formats.ts'
import type { ReadText, DocsSite } from '../sites/generator.ts'
import type { Page } from '../page/page.ts'
import type { PageFile } from '../page/parse.ts'
import { sharedSandbox } from '../platform/sandbox/sandbox.ts'
import { runInOrder } from '../platform/concurrency.ts'
import type {
  FileInput,
  FileQuestion,
  Includes,
  IncludesInput,
  OutlineInput,
  SiteInput,
} from './page-parsers.ts'
import type { RawPage } from './raw-page.ts'
import type { WebDocument } from './web-document.ts'
import type { IncludedFiles } from '../references/include.ts'
import type { PageSite } from '../formats/parsed-text.ts'

/**
 * Number of pages parsed at once, enough to fill a message to the parser process. More pages would
 * only wait and use memory.
 */
const lanes = 16

/**
 * Runs `work`, which parses a page, on each item and yields the outcomes in order. `bytesOf` is the
 * memory that an item uses. The first item runs alone, because the parser process is still
 * starting, and a caller that stops after the first item should not have read more.
 */
export async function* parseInOrder<Item, Outcome>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<Outcome>,
  bytesOf: (item: Item) => number = () => 0,
): AsyncGenerator<Outcome> {
  const first = Promise.withResolvers<void>()
  let nBegun = 0
  const begin = async (item: Item) => {
    if (nBegun++ > 0) await first.promise
    return work(item)
  }
  const memoryOf = (item: Item, outcome?: Outcome) =>
    outcome === undefined ? bytesOf(item) : textBytes(outcome)
  for await (const outcome of runInOrder(items, begin, { lanes, bytesOf: memoryOf })) {
    yield outcome
    first.resolve()
  }
}

/** Returns the memory of a page's text, or 0 for any other outcome. */
function textBytes(outcome: unknown): number {
  const { page, parts = [] } = (outcome ?? {}) as { page?: Page; parts?: Page[] }
  return 2 * parts.reduce((sum, { text }) => sum + text.length, page?.text.length ?? 0)
}

type Signal = AbortSignal | undefined

export function parseOutline(file: OutlineInput, signal: Signal): Promise<FileOutline | null> {
  const bytes = file.bytes.length
  return sharedSandbox().run('outline', alone(file), { doing: 'reading', bytes, signal })
}

export function parseFile(
  file: PageFile,
  { included, signal }: { included?: IncludedFiles | undefined; signal?: Signal },
): Promise<Page[]> {
  const { from = null, read, titles } = included ?? {}
  const input: FileInput = { file: alone(file), from, hasTitles: titles !== undefined }
  const answer = (question: FileQuestion): Promise<unknown> => {
    if (typeof question === 'string') return read!(question)
    return 'titles' in question ? titles!(question.titles) : readFirst(question, read!)
  }
  const bytes = file.bytes.length
  return sharedSandbox().run('file', input, { doing: 'reading', bytes, answer, signal })
}

/** Number of characters after which a request for several files is answered in part. */
const mostAhead = 256 * 1024

/** Reads the first existing file of each list, until the texts are long enough for one message. */
async function readFirst(
  lists: readonly string[][],
  read: IncludedFiles['read'],
): Promise<[string, string | null][]> {
  const texts = new Map<string, string | null>()
  let left = mostAhead
  for (const paths of lists) {
    for (const path of paths) {
      const text = texts.has(path) ? texts.get(path)! : await read(path)
      if (!texts.has(path)) left -= text?.length ?? 0
      texts.set(path, text)
      if (text !== null) break
    }
    if (left <= 0) break
  }
  return [...texts]
}

export function parseDocument(
  document: WebDocument,
  address: string,
  signal: Signal,
): Promise<Page[]> {
  const input = { document: alone(document), address }
  const bytes = document.bytes.length
  return sharedSandbox().run('document', input, { doing: 'reading', bytes, signal })
}

export function parseRaw(raw: RawPage, signal: Signal): Promise<Page> {
  const bytes = raw.content.length
  return sharedSandbox().run('raw', raw, { doing: 'reading', bytes, signal })
}

/**
 * Returns the site that a configuration file describes. Returns null if it describes none or cannot
 * be parsed. Its pages are then read as if they belonged to no site.
 */
export async function parseSiteConfig(
  config: SiteInput,
  read: ReadText,
  signal: Signal,
): Promise<DocsSite | null> {
  const options = { doing: 'reading', bytes: config.text.length, answer: read, signal }
  return sharedSandbox()
    .run<DocsSite | null>('site', config, options)
    .catch((error: unknown) => {
      signal?.throwIfAborted()
      if (error instanceof Error) return null
      throw error
    })
}

/**
 * Returns the files that the text may include, or none if it cannot be parsed. Reading the text as
 * a page reports that failure.
 */
export async function parseIncludes(
  input: { text: string; path: string; dialect: FormatName | null; site?: PageSite | undefined },
  signal: Signal,
): Promise<Includes> {
  const options = { doing: 'reading', bytes: input.text.length, signal }
  return sharedSandbox()
    .run<Includes>('includes', input satisfies IncludesInput, options)
    .catch((error: unknown) => {
      signal?.throwIfAborted()
      if (error instanceof Error) return { as: 'text', candidates: [], packages: [] }
      throw error
    })
}

/**
 * Returns the file with its own buffer. A view into a larger buffer, such as an archive's, would be
 * sent with the whole buffer.
 */
function alone<T extends { bytes: Uint8Array }>(file: T): T {
  const { bytes } = file
  return bytes.length === bytes.buffer.byteLength ? file : { ...file, bytes: new Uint8Array(bytes) }
}
