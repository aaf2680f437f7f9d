import { parsePageSymbols, plainName } from '../../api/page-symbols.ts'
import { aliasedModules } from '../../api/render.ts'
import { distance, nearest } from '../../platform/text/nearest.ts'
import type { ChunkRow } from '../../store/chunks/chunk-table.ts'
import type { Entry, MissingGroup, PublicNames } from '../../store/registry.ts'
import type { Collection } from '../collection.ts'
import { definitionsEndingIn, isTailOf, lastPart, pagesByLastPart } from './definitions.ts'
import { isHeadingOf, titlesIn } from './names-first.ts'
import {
  exactName,
  findNames,
  isPlainWord,
  nameFinder,
  nameTerms,
  type ExactName,
} from './exact-name.ts'
import type { OpenGeneration } from '../../store/open-generation.ts'

/** A queried name that a library version's API reference lacks. */
export type LackingName = {
  library: string
  version: string
  name: string
  /** Why the index lacks an exported name. Null if the package has no such name. */
  missing: Pick<MissingGroup, 'reason' | 'from'> | null
  /** Names that the user may have meant. */
  nearest: string[]
}

const mostNames = 4

/**
 * Finds names in a query that a package exports but the index lacks, and qualified names that a
 * package does not have. A name that a searched library defines or that its guides contain is not
 * lacking.
 */
export async function findLackingNames(
  collections: readonly Collection[],
  text: string,
): Promise<LackingName[]> {
  const referenced = collections.filter(({ entry }) => entry.live.names !== undefined)
  if (referenced.length === 0) return []
  const whole = exactName(text)
  const names = whole === null ? findNames(text).slice(0, mostNames) : [whole]
  const lackingNames: LackingName[] = []
  for (const name of new Set(names.map(({ core }) => core))) {
    const missing = referenced.flatMap(({ entry }) => missingName(entry, name) ?? [])
    if (missing.length > 0) {
      if (!(await isExplained(collections, missing[0]!.name))) lackingNames.push(...missing)
    } else if (collections.length === 1) {
      lackingNames.push(...((await unknownName(collections[0]!, name)) ?? []))
    }
  }
  return lackingNames
}

/** Replaces each lacking name with its most similar name. */
export function withNearestNames(text: string, lacking: readonly LackingName[]): string {
  return lacking.reduce(
    (all, { name, nearest: [best] }) => (best === undefined ? all : all.replace(name, best)),
    text,
  )
}

/** Finds a name, or the class or module of a qualified name, among the missing names. */
export function missingName({ library, version, live }: Entry, core: string): LackingName | null {
  const groups = live.names?.missing ? live.names.groups : []
  for (let name = plainName(core); name !== ''; name = scopeOf(name)) {
    for (const { reason, from, names } of groups) {
      if (!names.some((it) => isTailOf(name, plainName(it)))) continue
      return { library, version, name, missing: { reason, from }, nearest: [] }
    }
  }
  return null
}

/** Maximum number of chunks read to find a section about a name. */
const mostSections = 200

/** True if a library defines a name, or its guides have a section about it. */
async function isExplained(collections: readonly Collection[], name: string): Promise<boolean> {
  const exact = exactName(lastPart(name)) ?? exactName(name)!
  const isDefined = await Promise.all(
    collections.map(async ({ whole }) => {
      if ((await definitionsEndingIn(whole, name)).length > 0) return true
      const rows = await holdersOf(whole, exact)
      return rows.some((row) => titlesIn(row).some((title) => isHeadingOf(title, exact)))
    }),
  )
  return isDefined.includes(true)
}

/** Returns chunks that contain a name in any spelling. */
async function holdersOf(open: OpenGeneration, name: ExactName): Promise<ChunkRow[]> {
  const [terms = []] = nameTerms(name)
  const hits = await open.fullTextOfAll(terms, mostSections)
  return await open.chunks(hits.map(({ rowId }) => rowId))
}

/** In a class with base classes, a name within this many edits of a member is probably mistyped. */
const likelySlip = 2

/** Reports a qualified name that a completely described class or module does not have. */
async function unknownName(
  { entry: { library, version, live }, whole }: Collection,
  core: string,
): Promise<LackingName[] | null> {
  const own = plainName(core)
  const [scope, last] = [scopeOf(own), lastPart(own)]
  // In Ruby, every class has `new`.
  if (scope === '' || last === '' || last === 'new') return null
  const scopes = await scopePages(whole, scope)
  if (scopes.length === 0) return null
  if (scopes.some(({ title }) => hasUnknownNames(title, live.names!))) return null
  if ((await definitionsEndingIn(whole, core)).length > 0) return null
  const exact = exactName(core)!
  const find = nameFinder(exact)
  const isWritten = ({ content }: ChunkRow) => /^(?:typed|core)$/.test(find(content)?.form ?? '')
  if ((await holdersOf(whole, exact)).some(isWritten)) return null
  const members = scopes.flatMap(({ text }) => parsePageSymbols(text))
  const titles = [...pagesByLastPart(await whole.pageHeads()).values()].flat()
  const names = [
    ...members.flatMap(({ qualifiedName, inherited = [] }) => [qualifiedName, ...inherited]),
    ...titles.flatMap(({ title }) =>
      scopes.some((it) => it.title === scopeOf(title)) ? title : [],
    ),
  ].map((it) => lastPart(plainName(it)))
  // A final question mark may belong to the name: `valid?` in Ruby and Elixir.
  if (names.some((it) => it.replace(/[?!=]+$/, '') === last.replace(/[?!=]+$/, ''))) return null
  const near = nearest(last, names)
  const isOpen = scopes.some(({ text }) => inherits.test(text))
  if (isOpen && !near.some((it) => distance(last, it) <= likelySlip)) return null
  const elsewhere = near.length > 0 ? [] : await definitionsEndingIn(whole, last)
  const prefix = core.slice(0, core.length - last.length)
  const suggestions = [...near.map((it) => prefix + it), ...elsewhere.map(({ name }) => name)]
  return [{ library, version, name: core, missing: null, nearest: suggestions.slice(0, 3) }]
}

/** A name that ends more page titles, such as `Options`, is ambiguous. */
const mostScopes = 16

/**
 * Returns the pages about a class or module, and about the modules behind it, such as `zod` for
 * `z`. Text in lower case may be a variable, so it must be the whole name of a module, or of one
 * that consists of other modules.
 */
async function scopePages(
  open: Pick<OpenGeneration, 'pageHeads' | 'pageTexts'>,
  scope: string,
): Promise<{ title: string; text: string }[]> {
  const pages = pagesByLastPart(await open.pageHeads())
  const tails = (pages.get(lastPart(scope)) ?? []).filter(({ title }) => isTailOf(scope, title))
  if (tails.length > mostScopes) return []
  const read = async (some: typeof tails) => {
    const texts = await open.pageTexts(some.map(({ url }) => url))
    return some.map(({ url, title }) => ({ title, text: texts.get(url)!.text }))
  }
  const isVariable = isPlainWord({ verbatim: lastPart(scope), core: '', parts: [] })
  const holders = (await read(tails)).filter(
    ({ title, text }) => !isVariable || title === scope || aliasedModules(text).length > 0,
  )
  const others = holders.flatMap(({ text }) => aliasedModules(text)).map(plainName)
  const made = others.flatMap((it) =>
    (pages.get(lastPart(it)) ?? []).filter((one) => one.title === it),
  )
  return [...holders, ...(await read(made))]
}

/** A class with base classes or traits may have members that its page does not list. */
const inherits = /\b(?:extends|implements)\b|^class \w+(?:\(| <)|^Inherited from |^Implements `/m

/** True if a module may have names that og does not know. */
function hasUnknownNames(module: string, { missing, groups }: PublicNames): boolean {
  const all = groups.flatMap(({ names }) => names)
  return all.length < missing || all.some((name) => plainName(name) === `${module}.*`)
}

function scopeOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('.')))
}
