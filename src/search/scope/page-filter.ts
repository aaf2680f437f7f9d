import { pageKinds, type PageKind } from '../../page/page-kind.ts'
import { nearest } from '../../platform/text/nearest.ts'
import { OgError } from '../../platform/error.ts'
import { parseGlob } from '../../platform/text/glob.ts'
import { isLanguageWanted } from '../../source/select/translations.ts'
import type { PageFacts } from '../collection.ts'

/** Selects the pages to search. A missing or empty field selects all pages. */
export type PageFilter = {
  /** Globs, or folders inside the source. A leading `!` excludes. */
  paths?: readonly string[]
  /** `en` also selects `en-GB`. */
  languages?: readonly string[]
  kinds?: readonly PageKind[]
}

export function isFiltering({ paths = [], languages = [], kinds = [] }: PageFilter): boolean {
  return paths.length + languages.length + kinds.length > 0
}

/** @throws OgError if a kind does not exist */
export function parseKinds(names: readonly string[]): PageKind[] {
  return names.map((name) => {
    const kind = pageKinds.find((one) => one === name.toLowerCase())
    if (kind !== undefined) return kind
    throw new OgError(`Unknown kind of page "${name}"`, {
      hint: `it is one of ${pageKinds.join(', ')}`,
    })
  })
}

/**
 * Returns the pages of each list that pass the filter.
 * @throws OgError if no page passes. It names the first part of the filter that no page passes, and
 * suggests similar existing values.
 */
export function filterPages(
  lists: readonly (readonly PageFacts[])[],
  filter: PageFilter,
): PageFacts[][] {
  const passing = lists.map((pages) => pages.filter(passes(filter)))
  const all = lists.flat()
  if (all.length > 0 && passing.every((pages) => pages.length === 0)) throw noPage(all, filter)
  return passing
}

function passes(filter: PageFilter): (page: FilterFacts) => boolean {
  const { languages = [], kinds = [] } = filter
  const isPathWanted = pathRule(filter.paths ?? [])
  return ({ path, language, kind }) =>
    isPathWanted(path) &&
    (kinds.length === 0 || kinds.includes(kind)) &&
    (languages.length === 0 || isLanguageWanted(language ?? mainLanguage, [...languages]))
}

/** Language of pages that declare none. Translations always declare their language. */
const mainLanguage = 'en'

/** The parts of the filter that a page matches, if the filter has globs, a language or a kind. */
type MatchedParts = { paths: string[]; language: string | null; kind: PageKind | null }

/** Returns the parts of the filter that explain why a page passed. */
export function matchedParts(page: FilterFacts, filter: PageFilter): MatchedParts {
  const { paths = [], languages = [], kinds = [] } = filter
  return {
    paths: paths.filter((path) => pathRule([path])(page.path)),
    language: languages.length > 0 ? (page.language ?? mainLanguage) : null,
    kind: kinds.length > 0 ? page.kind : null,
  }
}

type FilterFacts = Pick<PageFacts, 'path' | 'language' | 'kind'>

function pathRule(globs: readonly string[]): (path: string) => boolean {
  const included = globs.filter((one) => !one.startsWith('!')).map(globOf)
  const excluded = globs.filter((one) => one.startsWith('!')).map((one) => globOf(one.slice(1)))
  return (path) =>
    (included.length === 0 || included.some((matches) => matches(path))) &&
    !excluded.some((matches) => matches(path))
}

/** Matches a path from the top of the source, or at any depth if the pattern has no `/`. */
function globOf(pattern: string): (path: string) => boolean {
  const path = trimSlashes(pattern)
  return parseGlob(path.includes('/') ? path : `**/${path}`, { anyCase: true }).matches
}

function trimSlashes(pattern: string): string {
  let end = pattern.length
  while (pattern[end - 1] === '/') end--
  return pattern.slice(0, end).replace(/^(\.?\/)+/, '')
}

function noPage(all: readonly PageFacts[], filter: PageFilter): OgError {
  const { paths = [], languages = [], kinds = [] } = filter
  const by = (part: PageFilter) => !all.some(passes(part))
  if (by({ paths })) return noPath(all, paths)
  if (by({ languages })) {
    const languageCodes = [...new Set(all.map(({ language }) => language ?? mainLanguage))].sort()
    return new OgError(`No page is in language ${quoteAll(languages)}`, {
      hint: `the pages are in ${languageCodes.join(', ')}`,
    })
  }
  if (by({ kinds })) {
    const kindsPresent = pageKinds.filter((kind) => all.some((page) => page.kind === kind))
    return new OgError(`No page is of kind ${quoteAll(kinds)}`, {
      hint: `the pages are of kind ${kindsPresent.join(', ')}`,
    })
  }
  const values = [...paths, ...languages, ...kinds]
  return new OgError(`No page passes all filters: ${quoteAll(values)}`, {
    hint: 'some pages pass each filter alone; remove one filter',
  })
}

function noPath(all: readonly PageFacts[], patterns: readonly string[]): OgError {
  const folders = [...new Set(all.flatMap(({ path }) => foldersOf(path)))]
  const near = patterns.flatMap((one) => nearest(literalPart(one), folders))
  const top = folders.filter((folder) => !folder.includes('/'))
  const hint =
    near.length > 0
      ? `did you mean ${[...new Set(near)]
          .slice(0, 3)
          .map((folder) => `"${folder}"`)
          .join(' or ')}?`
      : `paths begin with ${top.slice(0, 10).join(', ') || all[0]!.path}`
  return new OgError(`No page has a path like ${quoteAll(patterns)}`, { hint })
}

function foldersOf(path: string): string[] {
  const parts = path.replace(/^\/+/, '').split('/')
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** Returns the part before the first wildcard: `docs/tutorail` for `docs/tutorail/**`. */
function literalPart(pattern: string): string {
  return parseGlob(pattern.replace(/^!/, '')).base || pattern
}

function quoteAll(values: readonly string[]): string {
  return values.map((one) => `"${one}"`).join(' or ')
}
