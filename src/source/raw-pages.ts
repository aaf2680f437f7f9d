import { lstat, readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { objectOf, parseJsonOrUndefined } from '../platform/json.ts'
import { OgError } from '../platform/error.ts'
import { folderAddress } from './page-address.ts'
import { parseRaw, parseInOrder } from './page-parser.ts'
import { parseRawPage, type RawPage } from './raw-page.ts'
import { sizeLimitBytes } from './select/select.ts'
import type { SourceEvent } from './source.ts'
import type { Source } from '../store/source.ts'

/** Marks a folder of raw pages that og wrote. Upstream reads only `.json` and `.md` files. */
export const rawMarkName = '.og-raw'

export type RawMark = { state: 'writing' | 'complete'; files: string[] }

/**
 * Yields the pages in a folder of raw pages, ordered by file name.
 * @throws OgError if the extraction that wrote them was interrupted
 */
export async function* rawPages(
  source: Extract<Source, { kind: 'raw_pages' }>,
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<SourceEvent> {
  const mark = await readRawMark(source.path)
  if (mark?.state === 'writing') {
    throw new OgError(`Cannot read raw pages in ${source.path}: extraction was interrupted`, {
      hint: 'extract them again',
    })
  }
  const { signal } = options
  const eventOf = (name: string) => rawEvent(join(source.path, name), signal)
  for await (const event of parseInOrder(await rawFileNames(source.path), eventOf)) {
    signal?.throwIfAborted()
    yield event
  }
}

/** Returns the sorted names of files that may contain a page, without links and folders. */
export async function rawFileNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const isPage = (name: string) => name.endsWith('.json') || name.endsWith('.md')
  return entries
    .filter((it) => it.isFile() && isPage(it.name))
    .map(({ name }) => name)
    .sort()
}

export async function readRawPage(path: string): Promise<RawPage | string> {
  const { size } = await lstat(path)
  if (size > 2 * sizeLimitBytes) return `file is ${Math.ceil(size / 2 ** 20)} MB`
  const content = parseJsonOrUndefined(await readFile(path, 'utf8'))
  if (content === undefined) return 'it is not JSON'
  return parseRawPage(content) ?? 'it has no "url" and "content"'
}

export async function readRawMark(folder: string): Promise<RawMark | null> {
  const text = await readFile(join(folder, rawMarkName), 'utf8').catch(() => '')
  const mark: Partial<RawMark> = objectOf(parseJsonOrUndefined(text))
  if (!Array.isArray(mark.files)) return null
  const files = mark.files.filter((name) => typeof name === 'string' && !/[/\\]/.test(name))
  return { state: mark.state === 'complete' ? 'complete' : 'writing', files }
}

async function rawEvent(path: string, signal: AbortSignal | undefined): Promise<SourceEvent> {
  const raw = await readRawPage(path).catch((error: Error) => error.message)
  const outcome =
    typeof raw === 'string'
      ? raw
      : await parseRaw(raw, signal).catch((error: Error) => error.message)
  if (typeof outcome !== 'string') return { type: 'page', page: outcome }
  // Upstream also expects JSON in `.md` files. A `.md` file without JSON is usually someone's note.
  const name = basename(path)
  const isNote = name.endsWith('.md') && typeof raw === 'string'
  if (isNote) return { type: 'skipped', path: name, reason: outcome }
  return { type: 'failed', url: `${folderAddress(dirname(path))}/${name}`, reason: outcome }
}
