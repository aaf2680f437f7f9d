import type { CountTokens, Embedder, Fingerprint } from '../embed/embedder.ts'
import type { Kernels } from '../platform/kernels/kernels.ts'
import type { Reach } from '../platform/reach.ts'
import type { Generation } from '../store/registry.ts'
import type { Embedding } from './add/ingest.ts'
import type { Chunking } from './add/recipe.ts'

/** What the operations of a library work with; open.ts wires it. Everything heavy is lazy. */
export type Opened = {
  /** The store. */
  folder: string
  kernels: Kernels
  chunking: Chunking
  /** Pages fetched at once from one host; 8 unless told. */
  pageLanes?: number
  /** Of the agent that asks; null: a person does. */
  reach?: Reach | null
  /** Of the configured embedder, without loading it; null where embeddings are switched off. */
  fingerprint: Fingerprint | null
  embedder(): Promise<Embedder | null>
  /**
   * What embeds queries for a library that another model embedded than the settings name; null
   * where that model is not on this machine.
   */
  ownEmbedder(fingerprint: Fingerprint): Promise<Embedder | null>
  /** The embedder with its cache, for writing. */
  embedding(): Promise<Embedding>
  countTokens(): Promise<CountTokens>
  /** Whether a generation would be built alike with the settings in force; loads nothing. */
  isMadeBySettings(generation: Generation): boolean
}
