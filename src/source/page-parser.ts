import type { Dialect, IncludedFiles } from '../page/include/include.ts'
import type { Page } from '../page/page.ts'
import type { PageFile } from '../page/parse.ts'
import { ownAside } from '../platform/aside/aside.ts'
import { inOrder } from '../platform/concurrency.ts'
import type { FileInput, IncludesInput, Includes } from './page-parsers.ts'
import type { RawPage } from './raw-page.ts'
import type { WebDocument } from './web/web-document.ts'

/** More would wait here, with their bytes. */
const lanes = 8

/**
 * `inOrder` for work that parses a page each. The first is read alone: the process that parses
 * starts meanwhile, and who stops at the first page has not read others.
 */
export async function* parsing<Item, Outcome>(
  items: Iterable<Item> | AsyncIterable<Item>, work: (item: Item) => Promise<Outcome>,
): AsyncGenerator<Outcome> {
  const first = Promise.withResolvers<void>()
  let nBegun = 0
  const begin = async (item: Item) => {
    if (nBegun++ > 0) await first.promise
    return work(item)
  }
  for await (const outcome of inOrder(items, begin, { lanes })) {
    yield outcome
    first.resolve()
  }
}

type Signal = AbortSignal | undefined

/** `parsePage`, done aside, as all of these are. */
export function parseFile(
  file: PageFile, { included, signal }: { included?: IncludedFiles | undefined; signal?: Signal },
): Promise<Page> {
  const input: FileInput = { file: alone(file), from: included?.from ?? null }
  const answer = (path: string) => included!.read(path)
  return ownAside().run('file', input, { doing: 'reading', answer, signal })
}

export function parseDocument(
  document: WebDocument, address: string, signal: Signal,
): Promise<Page> {
  const input = { document: alone(document), address }
  return ownAside().run('document', input, { doing: 'reading', signal })
}

export function parseRaw(raw: RawPage, signal: Signal): Promise<Page> {
  return ownAside().run('raw', raw, { doing: 'reading', signal })
}

/** The files that a text may include; none of one that cannot be read: it fails as a page. */
export async function parseIncludes(
  input: { text: string; path: string; dialect: Dialect | null }, signal: Signal,
): Promise<Includes> {
  const options = { doing: 'reading', signal }
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
