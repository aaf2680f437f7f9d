import { renderIncomplete, type Incomplete } from '../library/incomplete.ts'
import { addMissingCommand, reasonText } from '../library/quality/missing-names.ts'
import type { DamagedVersion } from '../library/entries.ts'
import type { Doubt } from '../library/search/doubt.ts'
import type { NotIndexed } from '../library/search/entry-selection.ts'
import type { SearchAnswer } from '../library/search/search.ts'
import { firstLeftover } from '../page/leftover.ts'
import type { LackingName } from '../search/name/lacking-names.ts'
import { formatCount } from '../platform/text/count.ts'
import type { VersionDefault } from '../version/pick.ts'
import type { VersionFrom } from '../version/project.ts'

/** Information for judging an answer. Every interface renders all kinds of notes. */
export type Note =
  | LackingNote
  | ({ kind: 'version-chosen' } & VersionFrom)
  | ({ kind: 'version-default' } & VersionDefault)
  | ({ kind: 'not-indexed' } & NotIndexed)
  | ({ kind: 'damaged' } & DamagedVersion)
  | ({ kind: 'incomplete' } & Incomplete)
  /** Parts of the source of a library version could not be read. */
  | { kind: 'source-gap'; library: string; version: string; reason: string }
  | { kind: 'not-asked'; reason: string }
  | { kind: 'omitted'; hits: number }
  | ({ kind: 'weak' } & Doubt)
  /** A hit lacks text that the website shows and contains `mark` instead. */
  | { kind: 'hole'; rank: number; mark: string }
  /** The input has a field that does not apply to this source. */
  | { kind: 'unused-field'; field: string }
  /** How an add chose its pages: a site's sitemap or a repository's documentation folder. */
  | { kind: 'source-chosen'; library: string; how: string }
  /** An add replaced a version from a different source. */
  | { kind: 'replaced'; label: string; places: string }
  /** A site has only one page, no sitemap and no links. */
  | { kind: 'single-page'; library: string; url: string }
  /** An add stored the source in a list of sources. */
  | { kind: 'source-saved'; library: string; path: string }
  /** A pack was written without a licence. */
  | { kind: 'no-license' }
  /** The operation succeeded, but a memory index could not be updated. */
  | { kind: 'degraded'; reason: string }

/** A queried name that a library's index lacks, and the command that adds it. */
type LackingNote = { kind: 'lacking-name' } & LackingName & { command: string | null }

function lackingNote(one: LackingName): LackingNote {
  const command = one.missing && addMissingCommand(one.library, one.missing)
  return { kind: 'lacking-name', ...one, command }
}

/** Returns a search's notes. `omitted` is the number of hits beyond the token budget. */
export function searchNotes(
  answer: Pick<
    SearchAnswer,
    | 'hits'
    | 'versionsFrom'
    | 'versionDefaults'
    | 'notIndexed'
    | 'broken'
    | 'incomplete'
    | 'unasked'
    | 'doubt'
    | 'lacking'
  >,
  omitted = 0,
): Note[] {
  const { versionsFrom, notIndexed, broken, incomplete, unasked, doubt } = answer
  const answering = new Set(answer.hits.map(({ library }) => library))
  const defaults = answer.versionDefaults.filter(({ library }) => answering.has(library))
  return [
    ...answer.lacking.map(lackingNote),
    ...(unasked === null ? [] : [{ kind: 'not-asked', reason: unasked } as const]),
    ...(omitted === 0 ? [] : [{ kind: 'omitted', hits: omitted } as const]),
    ...versionsFrom.map((from) => ({ kind: 'version-chosen', ...from }) as const),
    ...defaults.map((one) => ({ kind: 'version-default', ...one }) as const),
    ...notIndexed.map((one) => ({ kind: 'not-indexed', ...one }) as const),
    ...broken.map((one) => ({ kind: 'damaged', ...one }) as const),
    ...incomplete.map((one) => ({ kind: 'incomplete', ...one }) as const),
    ...(doubt === null ? [] : [{ kind: 'weak', ...doubt } as const]),
    ...answer.hits.flatMap((hit) => holeNote(hit)),
  ]
}

function holeNote({ rank, text, markup }: SearchAnswer['hits'][number]): Note[] {
  const mark = firstLeftover({ text, markup })
  return mark === null ? [] : [{ kind: 'hole', rank, mark: mark.slice(0, maxMark) }]
}

const maxMark = 100

/** Returns a memory write's answer. Upstream's `warning` also becomes a note. */
export function withWarning<V extends { warning?: string }>(value: V): Answer<V> {
  const { warning } = value
  return { value, notes: warning === undefined ? [] : [{ kind: 'degraded', reason: warning }] }
}

/** Returns a result as JSON. Its names are already in snake_case. */
export function resultJson<V extends object>({ value, notes }: Answer<V>) {
  return { ...value, ...(notes.length > 0 && { notes: notesJson(notes) }) }
}

export function notesOf<K extends Note['kind']>(
  notes: readonly Note[],
  kind: K,
): Extract<Note, { kind: K }>[] {
  return notes.filter((note): note is Extract<Note, { kind: K }> => note.kind === kind)
}

/** True if a requested library or version could not be searched (exit code 1). */
export function isPartial(notes: readonly Note[]): boolean {
  return notes.some(({ kind }) => kind === 'not-indexed' || kind === 'damaged')
}

/** Returns the note as one sentence. `escape` makes untrusted names safe for the format. */
export function noteSentence(note: Note, escape = (text: string) => text): string {
  switch (note.kind) {
    case 'lacking-name':
      return escape(lackingSentence(note))
    case 'version-chosen':
      return chosenSentence(note, escape)
    case 'version-default':
      return defaultSentence(note, escape)
    case 'not-indexed':
      return notIndexedSentence(note, escape)
    case 'damaged':
      return escape(note.problem)
    case 'incomplete':
      return renderIncomplete(note)
    case 'source-gap':
      return escape(`${note.library} ${note.version} is incomplete: ${note.reason}.`)
    case 'not-asked':
    case 'degraded':
      return note.reason
    case 'unused-field':
      return `--${note.field.replaceAll('_', '-')} has no effect on this source`
    case 'source-chosen':
      return escape(`${note.library}: ${note.how}`)
    case 'replaced':
      return escape(`${note.label} is replaced: ${note.places}`)
    case 'single-page':
      return escape(
        `${note.library} is one page: no list of its pages was found, and no links below ` +
          note.url,
      )
    case 'source-saved':
      return escape(`Added source for '${note.library}' to ${note.path}`)
    case 'no-license':
      return (
        'it holds no licence: its source had none; ' +
        '--license source asks for it, --license FILE names one'
      )
    case 'omitted':
      return `${formatCount(note.hits, 'hit')} did not fit into the token budget.`
    case 'hole':
      return `Hit ${note.rank} lacks text that its site shows at ${escape(note.mark)}`
    case 'weak':
      return `There is ${escape(note.reason)}.`
  }
}

function chosenSentence(
  { library, version, package: name, named, file }: VersionFrom,
  escape: (text: string) => string,
): string {
  const pin = name === library ? named : `${name} ${named}`
  return `Version ${escape(version)} of ${escape(library)}: ${escape(file)} names ${escape(pin)}.`
}

function lackingSentence(note: LackingNote): string {
  const { library, version, name, missing, nearest, command } = note
  if (missing === null) {
    const near = nearest.length > 0 ? `; nearest: ${nearest.join(', ')}` : ''
    return `${library} ${version} has no "${name}"${near}.`
  }
  const remedy = command === null ? 'No command adds it' : `To add it: ${command}`
  return (
    `${library} ${version} exports ${name}, but the index lacks it: it is ` +
    `${reasonText(missing)}. ${remedy}.`
  )
}

/** Returns the sentences above the hits about names that the index lacks. */
export function lackingSentences(
  { lacking }: Pick<SearchAnswer, 'lacking'>,
  escape?: (text: string) => string,
): string[] {
  return lacking.map((one) => noteSentence(lackingNote(one), escape))
}

const mostOthers = 3

function defaultSentence(
  { library, version, others }: VersionDefault,
  escape: (text: string) => string,
): string {
  const names = others.slice(0, mostOthers).map(escape).join(', ')
  const more = others.length > mostOthers ? ` and ${others.length - mostOthers} more` : ''
  return `Answered from ${escape(library)} ${escape(version)}; also indexed: ${names}${more}.`
}

function notIndexedSentence(
  { library, version, nearest }: NotIndexed,
  escape: (text: string) => string,
): string {
  const missing =
    version === null
      ? `Library "${escape(library ?? '')}"`
      : `Version "${escape(version)}"${library === null ? '' : ` of ${escape(library)}`}`
  const near = nearest.length > 0 ? `; nearest: ${nearest.map(escape).join(', ')}` : ''
  return `${missing} is not indexed${near}`
}

/** Returns each note as JSON: `kind`, its data in snake_case, and its sentence. */
export function notesJson(notes: readonly Note[]) {
  return notes.map((note) => ({ ...note, message: noteSentence(note) }))
}

export type Answer<V> = { value: V; notes: readonly Note[] }
