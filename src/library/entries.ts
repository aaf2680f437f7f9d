import type { Kernels } from '../platform/kernels/kernels.ts'
import { trace } from '../platform/trace.ts'
import { openEntries } from '../store/reading.ts'
import type { Entry } from '../store/registry.ts'
import { Damage } from '../store/integrity/damage.ts'
import type { OpenGeneration } from '../store/open-generation.ts'

/** Open entries. They stay in use until they are disposed: `using found = await entries(pick)`. */
export type OpenVersions = { entry: Entry; open: OpenGeneration }[] & Disposable

export type OpenEntries = ((pick: (entries: Entry[]) => Entry[]) => Promise<OpenVersions>) &
  Disposable

export type CachedEntries = OpenEntries & { openIds(): string[] }

type OpenEntry = { open: OpenGeneration; users: number; isGone: boolean }

/**
 * Caches open generations between calls in one process. A generation that has left the registry is
 * closed after its last use, so that it can be swept. Calls run one after another, so that two do
 * not open the same generation twice. If `isWhole` is true, files in a bucket that exceed the cache
 * are copied too because builders need them.
 */
export function openEntryCache(
  folder: string,
  kernels: Kernels,
  { isWhole = false }: { isWhole?: boolean } = {},
): CachedEntries {
  const cache = new Map<string, OpenEntry>()
  let turn: Promise<unknown> = Promise.resolve()

  function entries(pick: (entries: Entry[]) => Entry[]): Promise<OpenVersions> {
    const held = turn.then(() => hold(pick))
    turn = held.catch(() => {})
    return held
  }

  async function hold(pick: (entries: Entry[]) => Entry[]): Promise<OpenVersions> {
    const opening = await openEntries(folder, kernels, {
      pick,
      openIds: new Set(cache.keys()),
      isWhole,
    })
    for (const open of opening.opened) {
      cache.set(open.generation.id, { open, users: 0, isGone: false })
    }
    const used = opening.picked.map((entry) => cache.get(entry.live.id)!)
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
    const one = cache.get(id)
    if (one === undefined) return
    one.isGone = true
    if (one.users > 0) return
    cache.delete(id)
    one.open[Symbol.dispose]()
  }

  const close = () => {
    for (const { open } of cache.values()) open[Symbol.dispose]()
    cache.clear()
  }
  return Object.assign(entries, { openIds: () => [...cache.keys()], [Symbol.dispose]: close })
}

/** A rollback can make a generation live again while it still has readers. */
function use(one: OpenEntry): void {
  one.users++
  one.isGone = false
}

export type DamagedVersion = { library: string; version: string; problem: string }

export function toDamagedVersion({ library, version, message, hint }: Damage): DamagedVersion {
  return { library, version, problem: `${message}; ${hint}` }
}

/**
 * Calls `ask`, and repeats it without each library version that turns out to be damaged. A broken
 * library therefore does not prevent answers from others. `broken` lists the versions skipped so
 * far.
 */
export async function skipDamaged<T>(
  entries: OpenEntries,
  ask: (sound: OpenEntries, broken: readonly Damage[]) => Promise<T>,
): Promise<T> {
  const broken: Damage[] = []
  const isSound = ({ live }: { live: { id: string } }) => broken.every(({ id }) => id !== live.id)
  const sound: OpenEntries = Object.assign(
    (pick: Parameters<OpenEntries>[0]) => entries((all) => pick(all).filter(isSound)),
    { [Symbol.dispose]() {} },
  )
  for (;;) {
    const answer = await ask(sound, broken).catch((error) => {
      if (!(error instanceof Damage) || broken.some(({ id }) => id === error.id)) throw error
      return error
    })
    if (!(answer instanceof Damage)) return answer
    broken.push(answer)
  }
}
