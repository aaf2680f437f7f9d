import { field, type InputOf } from './field.ts'
import type { StoredVersion } from '../library/list.ts'
import type { LibraryVersion } from '../library/library.ts'
import { forgetSource } from '../library/sources/save-source.ts'
import type { OgView } from '../open.ts'
import { OgError } from '../platform/error.ts'
import { didYouMean, nearest } from '../platform/text/nearest.ts'
import { displaySource } from '../store/source.ts'
import { ofKey } from '../version/pick.ts'
import { lockFields, lockTimeoutMs } from './add/add-fields.ts'
import type { Note, Answer } from './note.ts'
import { operation } from './operation.ts'

type ListContext<L> = { versions(): Promise<L[]> }

/** Libraries whose names contain the term. If there are none, the names of all libraries. */
export type LibraryListing<L = LibraryVersion> = {
  libraries: L[]
  nearest: string[]
  indexed: string[]
}

const listFields = {
  search_term: field.text('part of a name; case does not matter', { maxLength: 200 }),
} as const

/** Lists library versions. Generic, so that lists of `Holding` keep their type. */
export const list = {
  name: 'list',
  summary: 'list the indexed libraries',
  input: listFields,
  async run<L extends LibraryVersion>(
    { versions }: ListContext<L>,
    { search_term }: InputOf<typeof listFields>,
  ): Promise<Answer<LibraryListing<L>>> {
    const all = await versions()
    const term = (search_term ?? '').trim()
    const part = term.toLowerCase()
    const libraries = all.filter(({ library }) => library.toLowerCase().includes(part))
    const names = libraries.length > 0 ? [] : [...new Set(all.map(({ library }) => library))]
    const value = { libraries, nearest: nearest(term, names), indexed: names }
    return { value, notes: libraries.flatMap(listNotes) }
  },
  json: ({ value }: Answer<LibraryListing<LibraryVersion | StoredVersion>>) =>
    value.libraries.map(libraryJson),
}

function listNotes({ library, version, incomplete }: LibraryVersion): Note[] {
  return incomplete === null ? [] : [{ kind: 'source-gap', library, version, reason: incomplete }]
}

function libraryJson(one: LibraryVersion | StoredVersion) {
  return {
    library: one.library,
    version: one.version,
    pages: one.pages,
    chunks: one.chunks,
    source: displaySource(one.source),
    ref: one.ref,
    commit: one.commit,
    indexed_at: one.indexedAt,
    ...('bytes' in one && { bytes: one.bytes, previous_bytes: one.previousBytes }),
    ...('stale' in one && { stale: one.stale }),
    ...('names' in one && one.names && { names: one.names }),
    pack: one.pack,
    incomplete: one.incomplete,
    tag: one.tag,
  }
}

type ChangeContext<K extends 'remove' | 'rollback'> = {
  og: Pick<OgView, 'list' | K>
  onWait?(library: string): void
}

type RemoveContext = ChangeContext<'remove'> & {
  confirm(doomed: readonly LibraryVersion[]): Promise<boolean>
  onRemoved?(one: LibraryVersion): void
  /** The folder of the user's sources.json, from which removed libraries are deleted. */
  lists?: string
  onForgotten?(library: string, path: string): void
}

/** Deletes one version of a library, or all. The value is null if the user declined. */
export const remove = operation({
  name: 'remove',
  summary: 'delete one version of a library, or all of them',
  input: {
    library: field.text('name of the library', { required: true }),
    version: field.text('the version, exactly as "og list" shows it; needed if there are several'),
    all: field.flag('every version of the library'),
    ...lockFields,
  },
  async run(context: RemoveContext, input): Promise<Answer<LibraryVersion[] | null>> {
    const { og, confirm, onWait, onRemoved, lists, onForgotten } = context
    const doomed = doomedVersions(await og.list(), input)
    if (!(await confirm(doomed))) return { value: null, notes: [] }
    for (const one of doomed) {
      const { library, version } = one
      await og.remove({
        library,
        version,
        lockTimeoutMs: lockTimeoutMs(input),
        ...(onWait && { onWait: () => onWait(library) }),
      })
      onRemoved?.(one)
    }
    const { library } = doomed[0]!
    const isLast = (await og.list()).every((one) => one.library !== library)
    if (lists !== undefined && isLast) {
      const sources = doomed.map(({ source }) => source)
      const path = await forgetSource(lists, { library, sources })
      if (path !== null) onForgotten?.(library, path)
    }
    return { value: doomed, notes: [] }
  },
  json: ({ value }) => (value ?? []).map(libraryJson),
})

export const rollback = operation({
  name: 'rollback',
  summary: 'restore the state of a library before its last change',
  input: {
    library: field.text('name of the library', { required: true }),
    version: field.text('the version to roll back'),
    ...lockFields,
  },
  async run({ og, onWait }: ChangeContext<'rollback'>, input): Promise<Answer<LibraryVersion>> {
    const { library, version } = input
    const live = await og.rollback({
      library,
      version,
      lockTimeoutMs: lockTimeoutMs(input),
      ...(onWait && { onWait: () => onWait(library) }),
    })
    return { value: live, notes: [] }
  },
  json: ({ value }) => libraryJson(value),
})

function doomedVersions(
  indexed: readonly LibraryVersion[],
  { library, version, all }: { library: string; version: string | null; all: boolean },
): LibraryVersion[] {
  if (version !== null && all) {
    throw new OgError('Cannot use --version with --all: give one of them')
  }
  if (version !== null) return [findExactly(indexed, { library, version })]
  const mine = ofLibrary(indexed, library)
  if (all || mine.length === 1) return mine
  throw new OgError('Missing option --version of "og remove"', {
    hint: `"${mine[0]!.library}" has ${versionsOf(mine)}; --all removes all of them`,
  })
}

/**
 * Finds the exact version. Other operations accept `0.115` for the newest 0.115.x, but a deletion
 * requires the full version.
 */
function findExactly(
  indexed: readonly LibraryVersion[],
  { library, version }: { library: string; version: string },
): LibraryVersion {
  const mine = ofLibrary(indexed, library)
  const exact = mine.find((one) => one.version === version)
  if (exact) return exact
  const labels = mine.map((one) => one.version)
  throw new OgError(`Library "${library}" has no version "${version}"`, {
    code: 'absent',
    hint: didYouMean(version, labels) || `it has ${versionsOf(mine)}`,
  })
}

function ofLibrary(indexed: readonly LibraryVersion[], library: string): LibraryVersion[] {
  const entries = indexed.map((live) => ({ ...live, key: live.library.toLowerCase(), live }))
  const mine = ofKey(entries, library).map(({ live }) => live)
  if (mine.length > 0) return mine
  const names = indexed.map((one) => one.library)
  const hint = didYouMean(library, names) || '"og list" shows what is there'
  throw new OgError(`Unknown library "${library}"`, { code: 'absent', hint })
}

function versionsOf(indexed: readonly LibraryVersion[]): string {
  return indexed
    .slice(0, 10)
    .map(({ version }) => version)
    .join(', ')
}
