import { chunkerVersion } from '../../chunk/chunk.ts'
import { analyserVersion } from '../../chunk/terms.ts'
import type { Embedder, Fingerprint } from '../../embed/embedder.ts'
import { isOneModel, probedFingerprint } from '../../embed/probe.ts'
import { parserVersion } from '../../page/page.ts'
import { derivedVersion } from '../../store/generation.ts'
import type { Chunker } from '../../store/chunker.ts'
import type { Generation } from '../../store/registry.ts'

/** Chunking as a user set it; undefined is the default. */
export type Chunking = { chunkChars: number | undefined; overlapChars: number | undefined }

/** The chunker of this og, with these sizes. */
export function chunkerOf({ chunkChars, overlapChars }: Chunking): Chunker {
  return {
    chunks: chunkerVersion,
    terms: analyserVersion,
    parser: parserVersion,
    derived: derivedVersion,
    chunkChars: chunkChars ?? null,
    overlapChars: overlapChars ?? 0,
  }
}

/** A chunker for pages that were parsed as those of `other`. */
export function withParserOf(chunker: Chunker, other: Chunker): Chunker {
  return 'parser' in other ? { ...chunker, parser: other.parser } : chunker
}

/** Whether the texts of a generation's pages would come out the same from the same files. */
export function isParsedAlike({ chunker }: Pick<Generation, 'chunker'>): boolean {
  return 'parser' in chunker && chunker.parser === parserVersion
}

type Made = Pick<Generation, 'chunker' | 'fingerprint' | 'arithmetic' | 'embedded'>

/**
 * Whether a generation would come out the same if it were built again from the same pages; one
 * that is not embedded to the end would not.
 */
export function isMadeAlike(
  generation: Made,
  chunking: Chunking,
  embedder: Pick<Embedder, 'fingerprint' | 'arithmetic'> | null,
): boolean {
  return (
    generation.embedded === undefined &&
    Bun.deepEquals(generation.chunker, chunkerOf(chunking)) &&
    precisionOf(generation.arithmetic) === precisionOf(embedder?.arithmetic ?? null) &&
    isComparable(generation, embedder)
  )
}

/** `native-int8` and `onnx-int8` differ less than int8 from fp32: docs/internals/storage.md. */
export function precisionOf(arithmetic: string | null): string | null {
  return arithmetic === null ? null : arithmetic.replace(/^(native|onnx)-/, '')
}

/**
 * `isComparable` for an embedder that can be asked: where the generation has a probe of its model,
 * the embedder computes one too.
 */
export async function isModelOf(
  generation: Pick<Generation, 'fingerprint'>,
  embedder: Embedder | null,
  signal?: AbortSignal,
): Promise<boolean> {
  const isKnown = generation.fingerprint?.probe !== undefined
  if (embedder === null || !isKnown) return isComparable(generation, embedder)
  return isComparable(generation, { fingerprint: await probedFingerprint(embedder, signal) })
}

/** Whether the embedder's vectors may be compared with those of the generation. */
export function isComparable(
  generation: Pick<Generation, 'fingerprint'>,
  own: { fingerprint: Fingerprint | null } | null,
): boolean {
  const a = generation.fingerprint
  const b = own?.fingerprint ?? null
  if (a === null || b === null) return a === b
  return (
    a.model === b.model &&
    a.dimensions === b.dimensions &&
    a.pooling === b.pooling &&
    a.queryPrefix === b.queryPrefix &&
    isOneModel(a, b)
  )
}
