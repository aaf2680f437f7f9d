import { cached } from '../../platform/lru-cache.ts'
import { decodeTextOrNull } from '../../formats/decode.ts'
import type { FormatName } from '../../formats/formats.ts'
import { sha256 } from '../../platform/hash.ts'
import type { TreeEntry } from './git.ts'
import type { Blobs } from './git-blobs.ts'
import { foldersOf, listingOf } from '../folders.ts'
import { parseIncludes, parseInOrder } from '../page-parser.ts'
import { siteOfPage, type Sites } from '../sites.ts'
import type { IncludedFiles } from '../../references/include.ts'
import type { PageSite } from '../../formats/parsed-text.ts'

export type Entries = ReadonlyMap<string, { objectId: string }>
type Repository = { entries: Map<string, TreeEntry>; blobs: Blobs }
type ReadableRepository = Repository & { signal?: AbortSignal | undefined }
type FetchableRepository = ReadableRepository & {
  sites: Sites
  fetch(paths: string[]): Promise<void>
}

export function gitIncludes(path: string, { entries, blobs }: Repository): IncludedFiles {
  const read = async (other: string) => {
    if (other.endsWith('/')) return foldersIn(entries).has(other) ? '' : null
    const listing = listingOf(other, entries.keys())
    if (listing !== undefined) return listing
    return fileText(other, { entries, blobs })
  }
  return { from: path, read }
}

/**
 * Returns the state of an included file, of a folder whose path ends with `/`, or of a listing.
 * Returns '' if it is missing.
 */
export function includedState(path: string, entries: Entries): string {
  if (path.endsWith('/')) return foldersIn(entries).has(path) ? '/' : ''
  const listing = listingOf(path, entries.keys())
  if (listing !== undefined) return listing === null ? '' : sha256(listing)
  return entries.get(path)?.objectId ?? ''
}

/** Cached, so that each repository's tree is read once. */
const foldersIn = cached((entries: Entries) => foldersOf(entries.keys()))

/** Fetches the files that the pages include, directly or not, with one request per level. */
export async function fetchIncludes(
  paths: string[],
  { fetch, sites, ...repository }: FetchableRepository,
): Promise<void> {
  const seen = new Set(paths)
  const packages = new Set<string>()
  let at = new Map<string, Including>(
    paths.map((path) => [path, { dialect: null, site: siteOfPage(sites, path).site }]),
  )
  for (let round = 0; at.size > 0 && round < roundLimit; round++) {
    const next = new Map<string, Including>()
    const included = ([path, by]: [string, Including]) => includedBy(path, by, repository)
    for await (const includes of parseInOrder(at, included)) {
      for (const [path, by] of includes.files) if (!seen.has(path)) next.set(path, by)
      for (const name of includes.packages) packages.add(name)
    }
    at = next
    for (const path of at.keys()) seen.add(path)
    await fetch([...at.keys()])
  }
  if (packages.size > 0) await fetch(packageFiles(packages, repository))
}

function packageFiles(packages: ReadonlySet<string>, { entries }: Repository): string[] {
  return [...entries.keys()].filter(
    (path) =>
      packages.has(`*${/\.(?:jl|d\.ts)$/.exec(path)?.[0]}`) ||
      packages.has(path.slice(path.lastIndexOf('/') + 1)) ||
      (/\.pyi?$/.test(path) &&
        path.split('/').some((part) => packages.has(part.replace(/\.pyi?$/, '')))),
  )
}

const roundLimit = 8

/** The dialect of the including page (null if the file is itself a page) and the page's site. */
type Including = { dialect: FormatName | null; site: PageSite | undefined }

/**
 * Returns the files that a file includes, each with the context for its own includes, and the
 * packages that it refers to.
 */
async function includedBy(
  path: string,
  { dialect, site }: Including,
  { signal, ...repository }: ReadableRepository,
): Promise<{ files: [string, Including][]; packages: string[] }> {
  const text = await fileText(path, repository)
  if (text === null) return { files: [], packages: [] }
  const { as, candidates, packages } = await parseIncludes({ text, path, dialect, site }, signal)
  const files = candidates.flatMap((names): [string, Including][] => {
    const name = names.find((name) => isFile(name, repository))
    return name === undefined ? [] : [[name, { dialect: as, site }]]
  })
  return { files, packages }
}

function isFile(path: string, { entries }: Repository): boolean {
  return entries.get(path)?.mode.startsWith('100') ?? false
}

export async function fileText(path: string, repository: Repository): Promise<string | null> {
  const entry = repository.entries.get(path)
  if (!entry || !isFile(path, repository)) return null
  const blob = await repository.blobs.read(entry.objectId)
  return blob?.bytes ? decodeTextOrNull(blob.bytes, path) : null
}
