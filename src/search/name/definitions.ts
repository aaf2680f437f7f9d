import { isApiPath } from '../../api/api-path.ts'
import { listedName } from '../../api/page-symbols.ts'
import type { ChunkRow } from '../../store/chunks/chunk-table.ts'
import type { Collection } from '../collection.ts'
import type { Candidate } from '../lanes.ts'
import { toCandidate } from '../lanes.ts'
import { nameTerms, type ExactName } from './exact-name.ts'

/** Separators between the parts of a qualified name: `a.b`, `a::b`, `a/b`. */
const separators = /::|[.#/]/g
/** Pages of the API reference in which the definition of one name is looked for. */
const mostPages = 16
const mostChunks = 64

/**
 * The chunks that may define a name in the API reference, which the lanes need not have found:
 * those on the pages of the name and of the class or module that it begins with.
 */
export async function definitionCandidates(
  collection: Collection,
  name: ExactName,
): Promise<Candidate[]> {
  const urls = await pagesNamed(collection, name.core)
  if (urls.size === 0) return []
  const open = collection.open.within(urls)
  const lists = await Promise.all(
    nameTerms(name).map((terms) => open.fullTextOfAll(terms, mostChunks)),
  )
  return lists.flat().map((ranked) => toCandidate(collection, ranked))
}

/** The pages whose title is the name or its beginning, whole or without the first parts. */
async function pagesNamed({ open, facts }: Collection, core: string): Promise<Set<string>> {
  const scope = core.slice(0, Math.max(0, lastSeparator(core)))
  const urls = new Set<string>()
  for (const { url, path, title } of (await open.pageHeads()).values()) {
    if (!isApiPagePath(path) || !facts.has(url)) continue
    if (isTailOf(core, title) || (scope !== '' && isTailOf(scope, title))) urls.add(url)
    if (urls.size >= mostPages) break
  }
  return urls
}

/**
 * How many parts the qualified name has that a chunk defines, if a query means it; null: it defines
 * another name. A plain word in small letters means a name of a module only, since many classes
 * have a method of that name.
 */
export function countDefinedParts(row: ChunkRow, core: string): number | null {
  if (!isApiPagePath(row.url)) return null
  const isWord = /^\p{Ll}+$/u.test(core)
  const counts = definedNames(row)
    .filter((name) => isTailOf(core, name))
    .map((name) => name.split(separators).length)
  const parts = Math.min(...counts)
  return counts.length === 0 || (isWord && parts > 2) ? null : parts
}

/** The name of a section, its other names, and the values in its lists. */
function definedNames({ heading, content }: ChunkRow): string[] {
  const name = heading.split(' > ').at(-1)!
  // A long section has several chunks; the first has its heading.
  const isOpening = content.trimStart().startsWith('#') && content.includes(name)
  const others = isOpening ? (/^Also (`.*`)\.$/m.exec(content)?.[1]?.match(/[^`, ]+/g) ?? []) : []
  const lines = content.split('\n').filter((line) => line.startsWith('- `'))
  const values = lines.flatMap((line) => listedName(line, name) ?? [])
  return [...(isOpening ? [name] : []), ...others, ...values]
}

/** Whether a qualified name is `core` or ends in it, at the beginning of a part. */
function isTailOf(core: string, qualifiedName: string): boolean {
  if (!qualifiedName.endsWith(core)) return false
  const before = qualifiedName.slice(0, -core.length)
  return before === '' || /(::|[.#/])$/.test(before)
}

function lastSeparator(name: string): number {
  return [...name.matchAll(separators)].at(-1)?.index ?? -1
}
