import type { Dialect, IncludedFiles } from '../page/include/include.ts'
import type { Page } from '../page/page.ts'
import type { PageFile } from '../page/parse.ts'
import { ownAside } from '../platform/aside/aside.ts'
import { inOrder } from '../platform/concurrency.ts'
import type { FileInput, IncludesInput, Includes } from './page-parsers.ts'
import type { RawPage } from './raw-page.ts'
import type { WebDocument } from './web/web-document.ts'

/** Enough to fill a message to the process that parses; more would wait here, with their bytes. */
const lanes = 16

/**
 * `inOrder` for work that parses a page each; `bytesOf` tells what an item holds. The first is read
 * alone: the process that parses starts meanwhile, and who stops there has not read others.
 */
export async function* parsing<Item, Outcome>(
  items: Iterable<Item> | AsyncIterable<Item>, work: (item: Item) => Promise<Outcome>,
  bytesOf: (item: Item) => number = () => 0,
): AsyncGenerator<Outcome> {
  const first = Promise.withResolvers<void>()
  let nBegun = 0
  const begin = async (item: Item) => {
    if (nBegun++ > 0) await first.promise
    return work(item)
  }
  const held = (item: Item, outcome?: Outcome) =>
    outcome === undefined ? bytesOf(item) : textBytes(outcome)
  for await (const outcome of inOrder(items, begin, { lanes, bytesOf: held })) {
    yield outcome
    first.resolve()
  }
}

/** Of a page, in memory; of all else nothing to speak of. */
function textBytes(outcome: unknown): number {
  const { page } = (outcome ?? {}) as { page?: Page }
  return 2 * (page?.text.length ?? 0)
}

type Signal = AbortSignal | undefined

/** `parsePage`, done aside, as all of these are. */
export function parseFile(
  file: PageFile, { included, signal }: { included?: IncludedFiles | undefined; signal?: Signal },
): Promise<Page> {
  const input: FileInput = { file: alone(file), from: included?.from ?? null }
  const answer = (path: string) => included!.read(path)
  const bytes = file.bytes.length
  return ownAside().run('file', input, { doing: 'reading', bytes, answer, signal })
}

export function parseDocument(
  document: WebDocument, address: string, signal: Signal,
): Promise<Page> {
  const input = { document: alone(document), address }
  const bytes = document.bytes.length
  return ownAside().run('document', input, { doing: 'reading', bytes, signal })
}

export function parseRaw(raw: RawPage, signal: Signal): Promise<Page> {
  const bytes = raw.content.length
  return ownAside().run('raw', raw, { doing: 'reading', bytes, signal })
}

/** The files that a text may include; none of one that cannot be read: it fails as a page. */
export async function parseIncludes(
  input: { text: string; path: string; dialect: Dialect | null }, signal: Signal,
): Promise<Includes> {
  const options = { doing: 'reading', bytes: input.text.length, signal }
  return ownAside().run<Includes>('includes', input satisfies IncludesInput, options)
    .catch((error: unknown) => {
      signal?.throwIfAborted()
      if (error instanceof Error) return { as: 'text', candidates: [] }
      throw error
    })
}

/** Of bytes that are part of others, all would be sent: of a file in an archive, the archive. */
function alone<T extends { bytes: Uint8Array }>(file: T): T {
  const { bytes } = file
  return bytes.length === bytes.buffer.byteLength ? file : { ...file, bytes: new Uint8Array(bytes) }
}
