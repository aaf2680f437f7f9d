import { counted } from '../platform/text/counted.ts'
import { shellWord } from '../platform/text/shell-word.ts'
import type { Entry, Generation } from '../store/registry.ts'

/** A library version that is searched before all of it is embedded, and how many chunks are. */
export type Incomplete = { library: string; version: string; embedded: number; chunks: number }

/** Those of the entries whose embeddings have not all followed. */
export function incompleteOf(entries: readonly Entry[]): Incomplete[] {
  return entries.flatMap(({ library, version, live: { embedded, chunks } }) =>
    embedded === undefined ? [] : [{ library, version, embedded, chunks }],
  )
}

/** `fastapi 0.115.0: 34 % of its passages by meaning so far`. */
export function renderIncomplete(one: Incomplete): string {
  return `${one.library} ${one.version}: ${embeddedShare(one)} of its passages by meaning so far`
}

/** `34 %`, of what has `embedded`; never all of it. */
export function embeddedShare({ embedded = 0, chunks }: Pick<Generation, 'embedded' | 'chunks'>) {
  return `${Math.min(99, Math.floor((100 * embedded) / Math.max(1, chunks)))} %`
}

/** Why a source was not read whole: `cannot reach github.com`; null: it was. */
export function gapReason({ incomplete, failed = 0 }: Pick<Generation, 'incomplete' | 'failed'>) {
  if (incomplete) return incomplete.reason
  return failed === 0 ? null : `${counted(failed, 'page')} could not be read`
}

/** `incomplete: cannot reach github.com; "og update zod" tries again`, for a person. */
export function renderGap({ library, incomplete }: { library: string; incomplete: string }) {
  return `incomplete: ${incomplete}; "og update ${shellWord(library)}" tries again`
}
