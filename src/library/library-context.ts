import type { CountTokens, Embedder, Fingerprint } from '../embed/embedder.ts'
import type { Kernels } from '../platform/kernels/kernels.ts'
import type { Reach } from '../platform/reach.ts'
import type { Generation } from '../store/registry.ts'
import type { EmbeddingCache } from '../embed/cache.ts'

/** Everything that a library's operations use. Embedder and tokenizer are loaded on first use. */
export type LibraryContext = {
  folder: string
  kernels: Kernels
  chunking: Chunking
  /** Number of pages fetched from one host at once; 8 if undefined. */
  pageLanes?: number
  /** Limits on an agent's sources; null if a person makes the request. */
  reach?: Reach | null
  /** The configured embedder's fingerprint, known without loading it, or null. */
  fingerprint: Fingerprint | null
  embedder(): Promise<Embedder | null>
  /**
   * Returns the embedder of a library with a different model than the configured one, or null if
   * that model is not on this machine.
   */
  ownEmbedder(fingerprint: Fingerprint): Promise<Embedder | null>
  embedding(): Promise<EmbeddingSetup>
  countTokens(): Promise<CountTokens>
  /** Returns true if a lower-case word is frequent in English. */
  isEnglishWord(word: string): Promise<boolean>
  /** Returns true if the current settings would produce the same generation. Loads nothing. */
  isMadeBySettings(generation: Generation): boolean
}

/**
 * An embedder and its cache. Null stores chunks without embeddings (full text only). `ready` asks
 * the embedder which cache belongs to it. If it exists, call it before embedding anything.
 */
export type EmbeddingSetup = {
  embedder: Embedder
  cache: EmbeddingCache
  ready?: () => Promise<void>
} | null

export type Chunking = { chunkChars: number | undefined; overlapChars: number | undefined }
