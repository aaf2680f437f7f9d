import { formatCount } from '../platform/text/count.ts'
import { shellWord } from '../platform/text/shell-word.ts'
import type { Entry, Generation } from '../store/registry.ts'

export type Incomplete = { library: string; version: string; embedded: number; chunks: number }

export function findIncomplete(entries: readonly Entry[]): Incomplete[] {
  return entries.flatMap(({ library, version, live: { embedded, chunks } }) =>
    embedded === undefined ? [] : [{ library, version, embedded, chunks }],
  )
}

/** Formats a note such as `fastapi 0.115.0: 34 % of its passages by meaning so far`. */
export function renderIncomplete(one: Incomplete): string {
  return `${one.library} ${one.version}: ${embeddedShare(one)} of its passages by meaning so far`
}

/** Formats the embedded share in percent, at most `99 %`. */
export function embeddedShare({ embedded = 0, chunks }: Pick<Generation, 'embedded' | 'chunks'>) {
  return `${Math.min(99, Math.floor((100 * embedded) / Math.max(1, chunks)))} %`
}

/** Returns why a source was read incompletely, such as `cannot reach github.com`, or null. */
export function incompleteReason({
  incomplete,
  failed = 0,
}: Pick<Generation, 'incomplete' | 'failed'>) {
  if (incomplete) return incomplete.reason
  return failed === 0 ? null : `${formatCount(failed, 'page')} could not be read`
}

/**
 * Formats a message for people. If only the host of a better source does not respond, the package
 * itself is complete: `note: cannot reach github.com, so only the package was read; "og update zod"
 * adds the rest`.
 */
export function renderIncompleteSource({
  library,
  incomplete,
  missingHost,
}: {
  library: string
  incomplete: string
  missingHost?: string | undefined
}) {
  const command = `"og update ${shellWord(library)}"`
  return missingHost === undefined
    ? `incomplete: ${incomplete}; ${command} tries again`
    : `note: cannot reach ${missingHost}, so only the package was read; ${command} adds the rest`
}
