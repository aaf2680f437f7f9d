import type { Kernels } from '../platform/kernels/kernels.ts'
import { trace } from '../platform/trace.ts'
import { openEntries, type OpenGeneration } from '../store/reading.ts'
import type { Entry } from '../store/registry.ts'

/** Open entries, which stay in use until they are disposed: `using found = await entries(pick)`. */
export type OpenVersions = { entry: Entry; open: OpenGeneration }[] & Disposable

export type OpenEntries = ((pick: (entries: Entry[]) => Entry[]) => Promise<OpenVersions>) &
  Disposable

export type CachedEntries = OpenEntries & { openIds(): string[] }

type OpenEntry = { open: OpenGeneration; users: number; isGone: boolean }

/**
 * Caches open generations between calls of one process. A generation that has left the registry is
 * closed after its last user is done, so that it can be swept. Calls run one after another, so that
 * two do not open the same generation twice. If `isWhole` is true, files in a bucket that are
 * larger than the cache are copied too, because builders need them.
 */
export function openEntryCache(
  folder: string,
  kernels: Kernels,
  { isWhole = false }: { isWhole?: boolean } = {},
): CachedEntries {
  const kept = new Map<string, OpenEntry>()
  let turn: Promise<unknown> = Promise.resolve()

  function entries(pick: (entries: Entry[]) => Entry[]): Promise<OpenVersions> {
    const held = turn.then(() => hold(pick))
    turn = held.catch(() => {})
    return held
  }

  async function hold(pick: (entries: Entry[]) => Entry[]): Promise<OpenVersions> {
    const opening = await openEntries(folder, kernels, {
      pick,
      openIds: new Set(kept.keys()),
      isWhole,
    })
    for (const open of opening.opened) {
      kept.set(open.generation.id, { open, users: 0, isGone: false })
    }
    const used = opening.picked.map((entry) => kept.get(entry.live.id)!)
    for (const one of used) use(one)
    for (const id of opening.gone) leave(id)
    trace('open store', { folder, opened: opening.opened.length, picked: used.length })
    const held = opening.picked.map((entry, i) => ({ entry, open: used[i]!.open }))
    const release = () => used.splice(0).forEach(releaseOne)
    return Object.assign(held, { [Symbol.dispose]: release })
  }

  function releaseOne(one: OpenEntry): void {
    one.users--
    if (one.isGone) leave(one.open.generation.id)
  }

  function leave(id: string): void {
    const one = kept.get(id)
    if (one === undefined) return
    one.isGone = true
    if (one.users > 0) return
    kept.delete(id)
    one.open[Symbol.dispose]()
  }

  const close = () => {
    for (const { open } of kept.values()) open[Symbol.dispose]()
    kept.clear()
  }
  return Object.assign(entries, { openIds: () => [...kept.keys()], [Symbol.dispose]: close })
}

/** A rollback can make a generation live again while it still has readers. */
function use(one: OpenEntry): void {
  one.users++
  one.isGone = false
}
