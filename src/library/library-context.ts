import type { CountTokens, Embedder, Fingerprint } from '../embed/embedder.ts'
import type { Kernels } from '../platform/kernels/kernels.ts'
import type { Reach } from '../platform/reach.ts'
import type { Generation } from '../store/registry.ts'
import type { EmbeddingCache } from '../embed/cache.ts'

/**
 * Everything that a library's operations use. open.ts creates it. Embedder and tokenizer are loaded
 * on first use.
 */
export type LibraryContext = {
  folder: string
  kernels: Kernels
  chunking: Chunking
  /** How many pages are fetched from one host at once; 8 if undefined. */
  pageLanes?: number
  /** Limits on sources named by an agent; null if a person makes the request. */
  reach?: Reach | null
  /**
   * The fingerprint of the configured embedder, read without loading it; null if embeddings are
   * off.
   */
  fingerprint: Fingerprint | null
  embedder(): Promise<Embedder | null>
  /**
   * Returns the embedder of a library with a different model than the configured one; null if that
   * model is not on this machine.
   */
  ownEmbedder(fingerprint: Fingerprint): Promise<Embedder | null>
  embedding(): Promise<EmbeddingSetup>
  countTokens(): Promise<CountTokens>
  /** Returns true if a lower-case word is frequent in English. */
  isEnglishWord(word: string): Promise<boolean>
  /**
   * Returns true if a build with the current settings would produce the same generation. Loads
   * nothing.
   */
  isMadeBySettings(generation: Generation): boolean
}

/**
 * An embedder and its cache; null to store chunks without embeddings (full text only). `ready`, if
 * present, asks the embedder which cache belongs to it, and must be called before anything is
 * embedded.
 */
export type EmbeddingSetup = {
  embedder: Embedder
  cache: EmbeddingCache
  ready?: () => Promise<void>
} | null

export type Chunking = { chunkChars: number | undefined; overlapChars: number | undefined }
