import { isApiPagePath } from '../api/api-path.ts'
import { lastPart, parsePageSymbols, type PageSymbol } from '../api/page-symbols.ts'
import { OgError } from '../platform/error.ts'
import { type OpenEntries, openEntryCache } from './entries.ts'
import { addMissingCommand, reasonText } from './quality/missing-names.ts'
import { missingName } from '../search/name/lacking-names.ts'
import { pickEntries, type VersionQuery } from '../version/pick.ts'
import { compareSymbols, type ApiChange } from '../api/compare.ts'
import { readEntries } from '../store/registry.ts'
import { entriesToCompare, type DiffRequest } from './diff.ts'
import type { LibraryVersion } from './library.ts'
import { libraryVersion } from './list.ts'
import type { LibraryContext } from './library-context.ts'
import type { OpenGeneration } from '../store/open-generation.ts'

type ListedSymbol = PageSymbol & { url: string }

/**
 * The public names of a library version. With a prefix, only the names that begin with it. If there
 * are none, those with a part that begins with it: `Option` selects `click.Option.prompt`.
 */
export type ApiListing = { library: string; version: string; symbols: ListedSymbol[] }

export async function listApi(
  entries: OpenEntries,
  { prefix, ...query }: VersionQuery & { prefix: string },
): Promise<ApiListing> {
  using held = await entries((all) => pickEntries(all, query))
  const { entry, open } = held[0]!
  const { library, version } = entry
  const all = (await listSymbols(open)).flatMap(withOtherNames).sort(byName)
  if (all.length === 0) throw noApiError(library, version)
  const lower = prefix.toLowerCase()
  const whole = all.filter(({ qualifiedName }) => qualifiedName.toLowerCase().startsWith(lower))
  const symbols = whole.length > 0 ? whole : all.filter((it) => hasPartWith(it, lower))
  if (symbols.length === 0) {
    const lost = missingName(entry, prefix)
    if (lost?.missing) {
      const command = addMissingCommand(library, lost.missing)
      throw new OgError(
        `${library} ${version} exports ${lost.name}, but the index lacks it: it is ` +
          reasonText(lost.missing),
        { ...(command !== null && { hint: `To add it: ${command}` }) },
      )
    }
    throw new OgError(
      `No public name of ${library} ${version}, nor a part of one, begins with "${prefix}"`,
      { hint: `og query ${JSON.stringify(prefix)} -l ${library} searches all of it` },
    )
  }
  return { library, version, symbols }
}

/** Returns a symbol and a copy for each alias that ends in a different name. */
function withOtherNames(symbol: ListedSymbol): ListedSymbol[] {
  const { qualifiedName, aliases = [] } = symbol
  const others = aliases.filter((name) => lastPart(name) !== lastPart(qualifiedName))
  return [symbol, ...others.map((name) => ({ ...symbol, qualifiedName: name }))]
}

function byName(a: PageSymbol, b: PageSymbol): number {
  return a.qualifiedName < b.qualifiedName ? -1 : 1
}

function hasPartWith({ qualifiedName }: PageSymbol, lower: string): boolean {
  const name = qualifiedName.toLowerCase()
  for (let at = name.indexOf(lower); at >= 0; at = name.indexOf(lower, at + 1))
    if (/[.:/#\\]/.test(name[at - 1] ?? '')) return true
  return false
}

export async function listSymbols(open: OpenGeneration): Promise<ListedSymbol[]> {
  const symbols: ListedSymbol[] = []
  for await (const rows of open.pages()) {
    for (const { url, path, text } of rows) {
      if (!isApiPagePath(path)) continue
      for (const symbol of parsePageSymbols(text)) symbols.push({ ...symbol, url })
    }
  }
  return symbols.sort(byName)
}

export function noApiError(library: string, version: string): OgError {
  return new OgError(`Library "${library}" version "${version}" has no API reference`, {
    hint: 'og add --api with reads the source files of packages; og add --help names the languages',
  })
}

export type ApiDiff = { from: LibraryVersion; to: LibraryVersion; changes: ApiChange[] }

/**
 * Returns the public names that were added, removed, renamed, changed or deprecated between two
 * library versions, or since the previous state of one version.
 * @throws OgError if a version is not indexed or has no API reference
 */
export async function diffApi(context: LibraryContext, request: DiffRequest): Promise<ApiDiff> {
  const [from, to] = entriesToCompare(await readEntries(context.folder), request)
  using older = openEntryCache(context.folder, context.kernels)
  using newer = openEntryCache(context.folder, context.kernels)
  using before = await older(() => [from])
  using after = await newer(() => [to])
  const [old, now] = [await listSymbols(before[0]!.open), await listSymbols(after[0]!.open)]
  for (const [symbols, { library, version }] of [
    [old, from],
    [now, to],
  ] as const) {
    if (symbols.length === 0) throw noApiError(library, version)
  }
  const filter = request.text.toLowerCase()
  const changes = compareSymbols(old, now).filter(({ name, to: other, before, after }) =>
    [name, other, before, after].some((text) => text?.toLowerCase().includes(filter)),
  )
  return { from: libraryVersion(from), to: libraryVersion(to), changes }
}
