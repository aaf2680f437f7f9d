import { isApiPagePath } from '../api/api-path.ts'
import { diffSections, type SectionChange } from '../page/diff.ts'
import type { Page } from '../page/page.ts'
import { OgError } from '../platform/error.ts'
import type { PageRow } from '../store/pages/page-table.ts'
import { readEntries, type Entry } from '../store/registry.ts'
import { openEntryCache } from './entries.ts'
import type { LibraryVersion } from './library.ts'
import { libraryVersion } from './list.ts'
import { checkVersionLabel, libraryKey } from './name.ts'
import type { LibraryContext } from './library-context.ts'
import { parsePackage } from '../version/package-name.ts'
import { pickEntry } from '../version/pick.ts'
import type { OpenGeneration } from '../store/open-generation.ts'

export type DiffSide = { library: string; version: string | null }

export type DiffRequest = {
  from: DiffSide
  to: DiffSide | null
  /** Returns only changes whose text contains this, ignoring case. '' selects all changes. */
  text: string
}

export type PageChange = {
  status: 'added' | 'changed' | 'removed'
  /** Path in the source. Pages of two versions with the same path are compared. */
  path: string
  url: string
  title: string
  /** Only for a changed page. Empty if only its title or description changed. */
  sections: SectionChange[]
}

export type LibraryDiff = { from: LibraryVersion; to: LibraryVersion; pages: PageChange[] }

/** Parses `fastapi@0.115.0`, `@scope/ui@2` or a library name. Returns null for other text. */
export function parseSide(text: string): DiffSide | null {
  const [, library = text, version = null] = /^(.*[^:])@([^@]*)$/.exec(text) ?? []
  if (version === '') return null
  if (parsePackage(library) === null) {
    if (!/^(@[\w.-]+\/)?[\w.-]+$/.test(library)) return null
    libraryKey(library)
  }
  return { library, version: version === null ? null : checkVersionLabel(version) }
}

export async function diffLibraries(
  context: LibraryContext,
  request: DiffRequest,
): Promise<LibraryDiff> {
  const [from, to] = entriesToCompare(await readEntries(context.folder), request)
  using older = openEntryCache(context.folder, context.kernels)
  using newer = openEntryCache(context.folder, context.kernels)
  using before = await older(() => [from])
  using after = await newer(() => [to])
  const pages = await pageChanges(before[0]!.open, after[0]!.open)
  const filter = request.text.toLowerCase()
  const narrowed = filter === '' ? pages : pages.flatMap((page) => narrow(page, filter))
  return {
    from: libraryVersion(from),
    to: libraryVersion(to),
    pages: narrowed.map(({ before: _, after: __, ...change }) => change),
  }
}

export function entriesToCompare(entries: Entry[], { from, to }: DiffRequest): [Entry, Entry] {
  const first = pickEntry(entries, from)
  if (to !== null) return [first, pickEntry(entries, to)]
  const { library, version, previous } = first
  if (previous !== null) return [{ ...first, live: previous, previous: null }, first]
  const others = entries.filter((entry) => entry.key === first.key && entry !== first)
  throw new OgError(
    `Cannot compare library "${library}" version "${version}": it has no previous state`,
    {
      hint: others[0]
        ? `og diff ${library}@${others[0].version} ${library}@${version} compares two versions`
        : 'og update keeps the state before it',
    },
  )
}

type Compared = PageChange & Sides
type Sides = { before: PageRow | null; after: PageRow } | { before: PageRow; after: null }

async function pageChanges(older: OpenGeneration, newer: OpenGeneration): Promise<Compared[]> {
  const old = new Map<string, PageRow>()
  for await (const rows of older.pages()) for (const row of rows) old.set(freeKey(old, row), row)
  const changes: Compared[] = []
  for await (const rows of newer.pages()) {
    for (const row of rows) {
      const before = partnerOf(old, row)
      if (before === null) changes.push(change('added', { before, after: row }))
      else if (!isSame(before, row)) changes.push(change('changed', { before, after: row }))
    }
  }
  const removed = [...old.values()].map((row) => change('removed', { before: row, after: null }))
  const byPath = (a: Compared, b: Compared) => (a.path < b.path ? -1 : 1)
  return [...changes.sort(byPath), ...removed.sort(byPath)]
}

/**
 * Returns a page's path as its key, or its URL if two pages of a site share a path. An API page's
 * key is its name because its path contains a line number, which changes.
 */
function freeKey(rows: ReadonlyMap<string, PageRow>, { path, url, title }: PageRow): string {
  if (isApiPagePath(path)) return `api:${title}`
  return rows.has(path) ? url : path
}

function partnerOf(old: Map<string, PageRow>, row: PageRow): PageRow | null {
  const key = old.has(row.url) ? row.url : isApiPagePath(row.path) ? freeKey(old, row) : row.path
  const partner = old.get(key) ?? null
  old.delete(key)
  return partner
}

/** Does not compare hashes because they cover the URL, which often contains the version. */
function isSame(one: PageRow, other: PageRow): boolean {
  return (
    one.text === other.text && one.title === other.title && one.description === other.description
  )
}

function change(status: PageChange['status'], sides: Sides): Compared {
  const { before, after } = sides
  const { path, url, title } = newest(sides)
  const sections = before && after ? diffSections(pageOf(before), pageOf(after)) : []
  return { status, path, url, title, sections, ...sides }
}

function newest(sides: Sides): PageRow {
  return sides.after === null ? sides.before : sides.after
}

function pageOf({ text, markup }: PageRow): Pick<Page, 'text' | 'markup'> {
  return { text, markup: markup as Page['markup'] }
}

function narrow(page: Compared, filter: string): Compared[] {
  const mentions = (...texts: (string | null | undefined)[]) =>
    texts.some((text) => text?.toLowerCase().includes(filter))
  if (page.status !== 'changed') {
    const { title, text } = newest(page)
    return mentions(page.path, title, text) ? [page] : []
  }
  const sections = page.sections.filter((it) => mentions(it.heading, it.before, it.after))
  const isNamed = mentions(page.path, page.title, page.before?.title)
  if (isNamed && sections.length === 0) return [page]
  return sections.length > 0 ? [{ ...page, sections }] : []
}
