import { join } from 'node:path'
import { objectOf, parseJsonOrUndefined } from '../../platform/json.ts'
import type { KnownPages, SourceEvent } from '../../source/source.ts'
import { FileFault } from '../../store/integrity/damage.ts'
import { deepCheck, findGenerationFault } from '../../store/file-checks.ts'
import type { PageState } from '../../store/pages/page-table.ts'
import type { Entry } from '../../store/registry.ts'
import { openEntryCache } from '../entries.ts'
import type { LibraryContext } from '../library-context.ts'
import { readFile } from 'node:fs/promises'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { remoteBucketOf } from '../../store/remote-bucket.ts'
import type { OpenGeneration } from '../../store/open-generation.ts'

export type LiveState = Disposable & (FreshState | IntactState)

/** No page can be reused. There is no entry yet, or the live state's pages are damaged. */
export type FreshState = { kind: 'fresh'; entry: Entry | null }

export type IntactState = {
  kind: 'update'
  entry: Entry
  open: OpenGeneration
  states: ReadonlyMap<string, PageState>
  /** The state of all files except pages. */
  rest: 'whole' | 'damaged'
}

function freshState(entry: Entry | null): LiveState {
  return { kind: 'fresh', entry, [Symbol.dispose]: () => {} }
}

/** Opens an entry's live state, if any. The state stays open until it is disposed. */
export async function openLiveState(
  context: LibraryContext,
  entry: Entry | null,
): Promise<LiveState> {
  if (entry === null) return freshState(null)
  const path = join(context.folder, 'generations', entry.live.id)
  const entries = openEntryCache(context.folder, context.kernels, { isWhole: true })
  const close = () => entries[Symbol.dispose]()
  const opening = entries((all) => all.filter((it) => it.live.id === entry.live.id))
  const before = opening.then(async ([held]): Promise<LiveState> => {
    if (held === undefined) throw new FileFault(`${path} is not live`)
    const { open } = held
    const states = await open.pageStates()
    for (const [url, validator] of await readRenewedValidators(context.folder, entry.live.id)) {
      const state = states.get(url)
      if (state) states.set(url, { ...state, validator })
    }
    const update = { kind: 'update' as const, entry, open, states, [Symbol.dispose]: close }
    if ((await findGenerationFault(context.folder, entry.live.id)) === null) {
      return { ...update, rest: 'whole' }
    }
    const fault = await deepCheck(path, 'pages.')
    if (fault !== null) throw new FileFault(fault)
    return { ...update, rest: 'damaged' }
  })
  return await before.catch(() => (close(), freshState(entry)))
}

export function storedValidators({ states }: IntactState): KnownPages {
  const validated = [...states].filter(([, { validator }]) => validator !== '')
  return new Map(validated.map(([url, { validator }]) => [url, validator]))
}

/** If no page has changed, stores the source's new validators without writing a generation. */
export async function updateValidators(
  folder: string,
  { entry: { live }, states }: IntactState,
  now: ReadonlyMap<string, string>,
): Promise<void> {
  const isNews = [...now].some(([url, validator]) => states.get(url)?.validator !== validator)
  if (isNews) await writeRenewedValidators(folder, live.id, now)
}

/** Yields an `unchanged` event for every stored page of an unchanged source. */
export async function* unchangedEvents({ states }: IntactState): AsyncGenerator<SourceEvent> {
  for (const url of states.keys()) yield { type: 'unchanged', url }
}

/**
 * Returns new validators (such as ETags) of unchanged pages by URL. A new generation for them would
 * be wasteful, so they are stored next to its tables, and only updates read them.
 */
export async function readRenewedValidators(
  folder: string,
  id: string,
): Promise<Map<string, string>> {
  const text = await readFile(renewedPath(folder, id), 'utf8').catch(() => '{}')
  // Without these validators, pages are fetched again, which costs only time.
  return new Map(Object.entries(objectOf(parseJsonOrUndefined(text)) as Record<string, string>))
}

export async function writeRenewedValidators(
  folder: string,
  id: string,
  validators: ReadonlyMap<string, string>,
): Promise<void> {
  const text = `${JSON.stringify(Object.fromEntries(validators))}\n`
  await writeFileAtomically(renewedPath(folder, id), text)
  await remoteBucketOf(folder)?.writeNotes(id, text)
}

function renewedPath(folder: string, id: string): string {
  return join(folder, 'generations', id, 'renewed-validators.json')
}
