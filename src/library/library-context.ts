import type { CountTokens, Embedder, Fingerprint } from '../embed/embedder.ts'
import type { Kernels } from '../platform/kernels/kernels.ts'
import type { Reach } from '../platform/reach.ts'
import type { Generation } from '../store/registry.ts'
import type { EmbeddingSetup } from './add/ingest.ts'
import type { Chunking } from './add/recipe.ts'

/**
 * Everything that the operations of a library use. open.ts creates it. Embedder and tokenizer are
 * loaded on first use.
 */
export type LibraryContext = {
  folder: string
  kernels: Kernels
  chunking: Chunking
  /** How many pages are fetched from one host at once; 8 if undefined. */
  pageLanes?: number
  /** Limits on the sources that an agent may name; null if a person makes the request. */
  reach?: Reach | null
  /**
   * The fingerprint of the configured embedder, read without loading it; null if embeddings are
   * switched off.
   */
  fingerprint: Fingerprint | null
  embedder(): Promise<Embedder | null>
  /**
   * Returns the embedder of a library whose model is not the configured one; null if that model is
   * not on this machine.
   */
  ownEmbedder(fingerprint: Fingerprint): Promise<Embedder | null>
  embedding(): Promise<EmbeddingSetup>
  countTokens(): Promise<CountTokens>
  /** Whether a lower-case word is frequent in English. */
  isEnglishWord(word: string): Promise<boolean>
  /** Whether a build with the current settings would produce the same generation. Loads nothing. */
  isMadeBySettings(generation: Generation): boolean
}
