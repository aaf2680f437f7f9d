import type { NotIndexed } from '../library/search/entry-selection.ts'
import { kindsOf, type PageFilter } from '../search/scope/page-filter.ts'
import type { Broken } from '../library/sparing.ts'
import { pageKinds } from '../page/page-kind.ts'
import { withVersionInName } from '../version/version-in-name.ts'
import type { Terminal } from './terminal.ts'

/** Those of which documentation is often translated to; any other is taken too. */
export const languageChoices: readonly string[] = [
  'en', 'de', 'es', 'fr', 'it', 'ja', 'ko', 'pl', 'pt', 'pt-br', 'ru', 'tr', 'uk', 'vi', 'zh',
  'zh-hant',
]

/** Options that say what is searched. */
export const searchOptions = {
  library: {
    type: 'texts',
    short: 'l',
    placeholder: 'LIBRARY',
    doc: 'search this library only, or LIBRARY@VERSION; of several, repeat it or write commas',
    suggest: 'library',
  },
  version: {
    type: 'text',
    short: 'v',
    placeholder: 'VERSION',
    doc:
      'search this version only: "18.2" means the newest such; ranges ("^18", ">=2 <3"), lists ' +
      '("17,18") and "all" mean every one that is indexed',
    suggest: 'version',
  },
  path: {
    type: 'texts',
    placeholder: 'GLOB',
    doc: 'pages with such a path in the source: a folder, file or glob; "!GLOB" leaves out',
  },
  language: {
    type: 'texts',
    placeholder: 'LANGUAGE',
    doc: 'pages in this language ("de", "pt-br"); those that do not say are English',
    choices: languageChoices,
  },
  kind: {
    type: 'texts',
    placeholder: 'KIND',
    doc: `pages of this kind: ${pageKinds.join(', ')}`,
    choices: pageKinds,
  },
} as const

type Typed = Record<'library' | 'path' | 'language' | 'kind', readonly string[]> & {
  version: string | null
}

export type SearchWish = { library: string | null; version: string | null; filter: PageFilter }

/** What the options mean. @throws OgError for a kind that there is not, or two versions. */
export function searchWish(typed: Typed): SearchWish {
  const library = typed.library.length > 0 ? typed.library.join(',') : null
  return {
    ...withVersionInName({ library, version: typed.version }),
    filter: {
      paths: typed.path,
      languages: typed.language.flatMap(named),
      kinds: kindsOf(typed.kind.flatMap(named)),
    },
  }
}

function named(list: string): string[] {
  return list.split(',').map((name) => name.trim()).filter((name) => name !== '')
}

/** Warns of what was asked for beside others and is not there. */
export function noteNotIndexed(terminal: Terminal, notIndexed: readonly NotIndexed[]): void {
  for (const { library, version, nearest } of notIndexed) {
    const what = version === null
      ? `Library "${library}" is not indexed`
      : `Version "${version}"${library === null ? '' : ` of ${library}`} is not indexed`
    const near = nearest.length > 0 ? `; nearest: ${nearest.join(', ')}` : ''
    terminal.note('warning', `${what}${near}`)
  }
}

/** Warns of what was asked for and cannot be read; the others have answered. */
export function noteBroken(terminal: Terminal, broken: readonly Broken[]): void {
  for (const { problem } of broken) terminal.note('warning', problem)
}
