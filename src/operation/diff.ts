import { field } from './field.ts'
import { parseSide, type DiffSide, type LibraryDiff, type PageChange } from '../library/diff.ts'
import type { ApiDiff } from '../library/api-symbols.ts'
import type { ApiChange } from '../api/compare.ts'
import type { LibraryVersion } from '../library/library.ts'
import type { Og, OgView } from '../open.ts'
import { OgError } from '../platform/error.ts'
import { operation } from './operation.ts'
import type { Answer } from './note.ts'

export const diff = operation({
  name: 'diff',
  summary: 'show which pages and sections changed between two versions',
  input: {
    from: field.text('LIBRARY or LIBRARY@VERSION', { required: true }),
    to: field.text(
      'LIBRARY@VERSION to compare with (default: the state of `from` before its last change)',
    ),
    text: field.text('only pages and sections that contain this text'),
  },
  async run(og: Pick<Og, 'diff'>, { from, to, text }): Promise<Answer<LibraryDiff>> {
    const request = {
      from: requiredSide(from),
      to: to === null ? null : requiredSide(to),
      text: text ?? '',
    }
    return { value: await og.diff(request), notes: [] }
  },
  json: ({ value: { from, to, pages } }) => ({
    from: sideJson(from),
    to: sideJson(to),
    pages: pages.map(({ sections, ...page }) => ({
      ...page,
      sections: sections.map((section) => ({ status: sectionStatus(section), ...section })),
    })),
  }),
})

export const diffApi = operation({
  name: 'diff-api',
  summary: 'show which public names and signatures changed between two versions',
  input: { ...diff.input, text: field.text('only names and signatures that contain this text') },
  async run(og: Pick<OgView, 'diffApi'>, { from, to, text }): Promise<Answer<ApiDiff>> {
    const request = {
      from: requiredSide(from),
      to: to === null ? null : requiredSide(to),
      text: text ?? '',
    }
    return { value: await og.diffApi(request), notes: [] }
  },
  json: ({ value: { from, to, changes } }) => ({ from: sideJson(from), to: sideJson(to), changes }),
})

/** @throws OgError if the text contains no library name; `verb` says what the name is for */
export function requiredSide(text: string, verb: 'compare' | 'search' = 'compare'): DiffSide {
  const side = parseSide(text)
  if (side !== null) return side
  throw new OgError(`Cannot ${verb} ${JSON.stringify(text)}: it contains no library name`, {
    hint: 'write LIBRARY or LIBRARY@VERSION',
  })
}

function sideJson({ library, version, commit, indexedAt }: LibraryVersion) {
  return { library, version, commit, indexed_at: indexedAt }
}

type Section = Pick<PageChange['sections'][number], 'before' | 'after'>

export function sectionStatus({ before, after }: Section): PageChange['status'] {
  if (before === null) return 'added'
  return after === null ? 'removed' : 'changed'
}

const apiMarks = { removed: '-', renamed: '=', changed: '~', deprecated: '!', added: '+' } as const

export function apiChangeCounts(changes: readonly ApiChange[]): string {
  return Object.keys(apiMarks)
    .map((status) => `${changes.filter((it) => it.status === status).length} ${status}`)
    .join(', ')
}

/** Returns a changed name, followed by its changed parameters or by both signatures. */
export function apiChangeLines(change: ApiChange): string[] {
  const { status, name, to, note, parameters, before, after } = change
  const hasSignatures = status === 'changed' && parameters.length === 0
  return [
    `${apiMarks[status]} ${name}${to === null ? '' : ` → ${to}`}${note ? `: ${note}` : ''}`,
    ...parameters.map((parameter) => `    ${parameter}`),
    ...(hasSignatures ? [before, after].map((it) => `    ${it?.replace(/\s+/g, ' ')}`) : []),
  ]
}

export function sideText(side: LibraryVersion, other: LibraryVersion): string {
  const isSame = side.library === other.library && side.version === other.version
  const when = isSame ? ` of ${side.indexedAt.slice(0, 19).replace('T', ' ')}Z` : ''
  return `${side.library} ${side.version}${when}`
}
