import type { Kernels } from '../platform/kernels.ts'
import { openEntries, type OpenGeneration } from '../store/reading.ts'
import type { Entry } from '../store/registry.ts'

/** Opens the entries that `pick` chooses; they stay open for the next call that wants the same. */
export type OpenEntries = ((
  pick: (entries: Entry[]) => Entry[],
) => Promise<{ entry: Entry; open: OpenGeneration }[]>) &
  Disposable

/**
 * Keeps generations open between calls of one process. What the registry has moved on from is
 * closed, so that it can be swept; a running server follows every change.
 */
export function keepOpen(folder: string, kernels: Kernels): OpenEntries {
  const kept = new Map<string, OpenGeneration>()
  async function entries(pick: (entries: Entry[]) => Entry[]) {
    const known = new Set(kept.keys())
    const found = await openEntries(folder, kernels, { pick, known })
    for (const id of found.gone) {
      kept.get(id)?.[Symbol.dispose]()
      kept.delete(id)
    }
    for (const open of found.opened) kept.set(open.generation.id, open)
    return found.picked.map((entry) => ({ entry, open: kept.get(entry.live.id)! }))
  }
  const close = () => {
    for (const open of kept.values()) open[Symbol.dispose]()
    kept.clear()
  }
  return Object.assign(entries, { [Symbol.dispose]: close })
}
