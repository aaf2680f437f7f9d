import { join } from 'node:path'
import type { KnownPages, SourceEvent } from '../../source/source.ts'
import { Fault } from '../../store/integrity/damage.ts'
import { deepFault } from '../../store/integrity/file-checks.ts'
import { hasManifest } from '../../store/integrity/manifest.ts'
import type { PageState } from '../../store/pages/page-table.ts'
import { readRenewed, writeRenewed } from '../../store/renewed-validators.ts'
import type { OpenGeneration } from '../../store/reading.ts'
import type { Entry } from '../../store/registry.ts'
import { generationFault } from '../../store/integrity/wholeness.ts'
import { keepOpen } from '../entries.ts'
import type { Opened } from '../opened.ts'

/** The state that is live while the next one is built. */
export type Before = Disposable & {
  open: OpenGeneration
  states: ReadonlyMap<string, PageState>
  /** Absent where all but its pages is whole too; `unchecked`: written by an earlier version. */
  rest?: 'damaged' | 'unchecked'
}

/** Null where there is none, or where its pages are damaged: it is replaced all the same. */
export async function openBefore(opened: Opened, entry: Entry | null): Promise<Before | null> {
  if (entry === null) return null
  const path = join(opened.folder, 'generations', entry.live.id)
  const entries = keepOpen(opened.folder, opened.kernels)
  const close = () => entries[Symbol.dispose]()
  const found = entries((all) => all.filter((it) => it.live.id === entry.live.id))
  const before = found.then(async ([held]) => {
    const { open } = held!
    const states = await open.pageStates()
    for (const [url, validator] of await readRenewed(opened.folder, entry.live.id)) {
      const state = states.get(url)
      if (state) states.set(url, { ...state, validator })
    }
    const known = { open, states, [Symbol.dispose]: close }
    if (!hasManifest(path)) return { ...known, rest: 'unchecked' as const }
    if ((await generationFault(opened.folder, entry.live.id)) === null) return known
    const fault = await deepFault(path, 'pages.')
    if (fault !== null) throw new Fault(fault)
    return { ...known, rest: 'damaged' as const }
  })
  return await before.catch(() => (close(), null))
}

/** What a source may tell unchanged pages by. */
export function knownPages({ states }: Before): KnownPages {
  const known = [...states].filter(([, { validator }]) => validator !== '')
  return new Map(known.map(([url, { validator }]) => [url, validator]))
}

/** What the source notes of the pages now, where they are as they were and nothing is written. */
export async function keepValidators(
  folder: string, { live }: Entry, { states, now }: Pick<Before, 'states'> & { now: Notes },
): Promise<void> {
  const isNews = [...now].some(([url, validator]) => states.get(url)?.validator !== validator)
  if (isNews) await writeRenewed(folder, live.id, now)
}

type Notes = ReadonlyMap<string, string>

/** Every page as it is: for building again what is known not to have moved. */
export async function* storedPages({ states }: Before): AsyncGenerator<SourceEvent> {
  for (const url of states.keys()) yield { type: 'unchanged', url }
}
