import { cached } from '../../platform/lru-cache.ts'
import { isApiPagePath } from '../../api/api-path.ts'
import { listedName, plainName } from '../../api/page-symbols.ts'
import { indexTermsOf } from '../../chunk/terms.ts'
import type { ChunkRow } from '../../store/chunks/chunk-table.ts'
import type { Collection } from '../collection.ts'
import { toCandidate, type Candidate } from '../candidate.ts'
import { exactName, nameTerms, type ExactName } from './exact-name.ts'
import type { OpenGeneration } from '../../store/open-generation.ts'

/** Maximum number of API reference pages searched for a name's definition. */
const mostPages = 16
const mostChunks = 64

/**
 * Returns API reference chunks that may define a name, even if no lane found them. They are on the
 * page of the name, or of the class or module that it begins with.
 */
export async function definitionCandidates(
  collection: Collection,
  name: ExactName,
): Promise<Candidate[]> {
  const urls = await pagesNamed(collection, name.core)
  if (urls.size === 0) return []
  const open = collection.open.within(urls)
  const lists = await Promise.all(
    definitionTerms(name).map((terms) => open.fullTextOfAll(terms, mostChunks)),
  )
  const candidates = lists.flat().map((ranked) => toCandidate(collection, ranked))
  return [...new Map(candidates.map((it) => [it.key, it])).values()]
}

/** Returns the API chunks that define a name with the fewest parts. */
export async function shortestDefinitions(
  collections: readonly Collection[],
  name: ExactName,
): Promise<Candidate[]> {
  const lists = await Promise.all(
    collections.map(async (collection) => {
      const candidates = await definitionCandidates(collection, name)
      const rows = await collection.open.chunks(candidates.map(({ rowId }) => rowId))
      return candidates.flatMap((candidate, i) => {
        const parts = countDefinedParts(rows[i]!, name.core)
        return parts === null ? [] : [{ candidate, parts }]
      })
    }),
  )
  const definitions = lists.flat()
  const fewest = Math.min(...definitions.map(({ parts }) => parts))
  return definitions.flatMap(({ candidate, parts }) => (parts === fewest ? [candidate] : []))
}

/** Returns the index terms of a name and of its last part, which is all that lists show. */
function definitionTerms(name: ExactName): string[][] {
  const last = indexTermsOf(lastPart(plainName(name.core))).slice(0, 1)
  return [...nameTerms(name), last].filter((terms) => terms.length > 0)
}

/** Returns the pages whose title is the name or its beginning. A title may lack leading parts. */
async function pagesNamed({ open, facts }: Collection, core: string): Promise<Set<string>> {
  const own = plainName(core)
  const scope = own.slice(0, Math.max(0, own.lastIndexOf('.')))
  const pages = pagesByLastPart(await open.pageHeads())
  const urls = new Set<string>()
  for (const name of [own, scope]) {
    for (const { url, title } of pages.get(lastPart(name)) ?? []) {
      if (facts.has(url) && isTailOf(name, title)) urls.add(url)
      if (urls.size >= mostPages) return urls
    }
  }
  return urls
}

type Heads = ReadonlyMap<string, { url: string; path: string; title: string }>
type TitledPage = { url: string; title: string }

/** Groups API reference pages by the last part of their title. */
export const pagesByLastPart = cached((heads: Heads): Map<string, TitledPage[]> => {
  const pages = [...heads.values()].filter(({ path }) => isApiPagePath(path))
  const titled = pages.map(({ url, title }) => ({ url, title: plainName(title) }))
  return Map.groupBy(titled, ({ title }) => lastPart(title))
})

export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}

/** Maximum number of chunks read to find names with a given ending. */
const mostHolders = 500

/** Finds API definitions whose qualified name ends in the given name. */
export async function definitionsEndingIn(
  open: Pick<OpenGeneration, 'fullTextOfAll' | 'chunks'>,
  text: string,
): Promise<{ url: string; name: string }[]> {
  const name = exactName(text)
  if (name === null) return []
  const lists = await Promise.all(
    definitionTerms(name).map((terms) => open.fullTextOfAll(terms, mostHolders)),
  )
  const rows = await open.chunks([...new Set(lists.flat().map(({ rowId }) => rowId))])
  const core = plainName(name.core)
  const definitions = rows.flatMap((row) =>
    isApiPagePath(row.url)
      ? definedNames(row)
          .filter((it) => isTailOf(core, plainName(it.alias)))
          .map((it) => ({ url: row.url, name: it.name }))
      : [],
  )
  return [...new Map(definitions.map((it) => [it.name, it])).values()]
}

/**
 * Returns the number of parts of the qualified name that a chunk defines, or null if it does not
 * define the queried name. A plain lower-case word counts only as a module name because many
 * classes have a method with that name.
 */
export function countDefinedParts(row: ChunkRow, core: string): number | null {
  if (!isApiPagePath(row.url)) return null
  const isWord = /^\p{Ll}+$/u.test(core)
  const own = plainName(core)
  const counts = definedNames(row)
    .map(({ alias }) => plainName(alias))
    .filter((name) => isTailOf(own, name))
    .map((name) => name.split('.').length)
  const parts = Math.min(...counts)
  return counts.length === 0 || (isWord && parts > 2) ? null : parts
}

/** `alias` is a name that users know. The page shows the symbol as `name`. */
type DefinedName = { alias: string; name: string }

/** Returns a section's name, its other names, and the values in its lists. */
function definedNames({ heading, content }: ChunkRow): DefinedName[] {
  const name = heading.split(' > ').at(-1)!
  // Only the first chunk of a long section has its heading.
  const isOpening = content.trimStart().startsWith('#') && content.includes(name)
  const others = isOpening ? (/^Also (`.*`)\.$/m.exec(content)?.[1]?.match(/[^`, ]+/g) ?? []) : []
  const lines = content.split('\n').filter((line) => line.startsWith('- `'))
  const values = lines.flatMap((line) => listedName(line, name) ?? [])
  return [
    ...[...(isOpening ? [name] : []), ...others].map((alias) => ({ alias, name })),
    ...values.map((alias) => ({ alias, name: alias })),
  ]
}

/** True if a qualified name is `core` or ends in it at a part boundary. */
export function isTailOf(core: string, plain: string): boolean {
  if (core === '' || !plain.endsWith(core)) return false
  return plain.length === core.length || plain[plain.length - core.length - 1] === '.'
}
