import type { Embedder, Fingerprint } from '../embed/embedder.ts'
import { isSameModel, probedFingerprint } from '../embed/probe.ts'
import { parserVersion } from '../page/page.ts'
import {
  analyserVersion,
  chunkerVersion,
  chunkerLine,
  derivedVersion,
  parseChunker,
} from '../store/chunker.ts'
import type { Generation } from '../store/registry.ts'
import type { Chunking } from './library-context.ts'

export function chunkingOf({
  chunkSize,
  chunkOverlap,
}: {
  chunkSize: number | null
  chunkOverlap: number | null
}): Chunking {
  return { chunkChars: chunkSize ?? undefined, overlapChars: chunkOverlap ?? undefined }
}

export function chunkerOf({ chunkChars, overlapChars }: Chunking): string {
  return chunkerLine({
    chunks: chunkerVersion,
    terms: analyserVersion,
    parser: parserVersion,
    derived: derivedVersion,
    chunkChars: chunkChars ?? null,
    overlapChars: overlapChars ?? 0,
  })
}

export function withParserOf(chunker: string, other: string): string {
  const [own, parsed] = [parseChunker(chunker), parseChunker(other)]
  return own && parsed ? chunkerLine({ ...own, parser: parsed.parser }) : chunker
}

/** True if the current parser would produce the same page texts from the same files. */
export function isParsedTheSame({ chunker }: Pick<Generation, 'chunker'>): boolean {
  return parseChunker(chunker)?.parser === parserVersion
}

export function isBuiltTheSame(
  generation: Pick<Generation, 'chunker' | 'fingerprint' | 'arithmetic' | 'embedded'>,
  chunking: Chunking,
  embedder: Pick<Embedder, 'fingerprint' | 'arithmetic'> | null,
): boolean {
  return (
    generation.embedded === undefined &&
    generation.chunker === chunkerOf(chunking) &&
    precisionOf(generation.arithmetic) === precisionOf(embedder?.arithmetic ?? null) &&
    hasComparableVectors(generation, embedder)
  )
}

/**
 * Returns the arithmetic's precision. `native-int8` and `onnx-int8` differ less than int8 and fp32
 * do (docs/internals/storage.md).
 */
export function precisionOf(arithmetic: string | null): string | null {
  return arithmetic === null ? null : arithmetic.replace(/^(native|onnx)-/, '')
}

/** Like `hasComparableVectors`, but the embedder computes a probe if the generation has one. */
export async function isEmbeddedBy(
  generation: Pick<Generation, 'fingerprint'>,
  embedder: Embedder | null,
  signal?: AbortSignal,
): Promise<boolean> {
  const isKnown = generation.fingerprint?.probe !== undefined
  if (embedder === null || !isKnown) return hasComparableVectors(generation, embedder)
  return hasComparableVectors(generation, {
    fingerprint: await probedFingerprint(embedder, signal),
  })
}

export function hasComparableVectors(
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
    isSameModel(a, b)
  )
}
