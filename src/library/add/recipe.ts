import { chunkerVersion } from '../../chunk/chunk.ts'
import { analyserVersion } from '../../chunk/terms.ts'
import type { Embedder, Fingerprint } from '../../embed/embedder.ts'
import { parserVersion } from '../../page/page.ts'
import { derivedVersion } from '../../store/generation.ts'
import type { Generation } from '../../store/registry.ts'

/** Chunking as a user set it; undefined is the default. */
export type Chunking = { chunkChars: number | undefined; overlapChars: number | undefined }

/** Names everything that decides what a page's text is, where chunks end, which terms they have. */
export function chunkerName({ chunkChars, overlapChars }: Chunking): string {
  const made = [chunkerVersion, analyserVersion, `parser-${parserVersion}`, derivedVersion]
  return `${made.join('/')}/${chunkChars ?? 'default'}/${overlapChars ?? 0}`
}

/** The same name for pages that were parsed as those of `other`. */
export function withParserOf(name: string, other: string): string {
  const parser = /\/parser-\w+\//.exec(other)?.[0]
  return parser === undefined ? name : name.replace(/\/parser-\w+\//, parser)
}

/** Whether the texts of a generation's pages would come out the same from the same files. */
export function isParsedAlike({ chunker }: Pick<Generation, 'chunker'>): boolean {
  return /\/parser-(\w+)\//.exec(chunker)?.[1] === parserVersion
}

type Made = Pick<Generation, 'chunker' | 'fingerprint' | 'arithmetic'>

/** Whether a generation would come out the same if it were built again from the same pages. */
export function isMadeAlike(
  generation: Made,
  chunking: Chunking,
  embedder: Pick<Embedder, 'fingerprint' | 'arithmetic'> | null,
): boolean {
  return (
    generation.chunker === chunkerName(chunking) &&
    precisionOf(generation.arithmetic) === precisionOf(embedder?.arithmetic ?? null) &&
    isComparable(generation, embedder)
  )
}

/** `native-int8` and `onnx-int8` differ less than int8 from fp32: docs/internals/storage.md. */
function precisionOf(arithmetic: string | null): string | null {
  return arithmetic === null ? null : arithmetic.replace(/^(native|onnx)-/, '')
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
    a.queryPrefix === b.queryPrefix
  )
}
