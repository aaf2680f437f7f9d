import type { Reach } from '../platform/reach.ts'
import type { TableHostAddress } from '../store/remote/tables/host-tables.ts'
import type { StoreAccess } from '../store/remote/dialect/credentials.ts'

/** The effective settings, resolved once. Only main, cli, mcp and open see this type. */
export type Config = {
  /** The folder or address of the store: registry, generations, embedding cache. */
  dbPath: string
  /**
   * Whether a user named the store: then it has to exist, or a typing error looks like an empty
   * store.
   */
  isStoreNamed: boolean
  /** The folder for natives and model unpacked from the executable, and for downloaded models. */
  cachePath: string
  /** Access to a store in a bucket; `dbPath` is its address then. */
  store: StoreAccess & {
    cacheBytes: number
    /** The bucket beside a service that keeps the tables. */
    registry: string | null
    tableHost: Omit<TableHostAddress, 'place' | 'ready'>
  }
  modelDir: string | null
  /** The folder of raw pages as JSON, by library and version: upstream's `raw_data`. */
  rawDataPath: string
  extraction: { concurrencyLimit: number }
  embeddings: {
    backend: 'builtin' | 'openai' | 'none'
    /** The engine that computes the built-in model. */
    engine: 'auto' | 'native' | 'onnx'
    model: string
    dimensions: number
    batchSize: number
    /** Requests to an endpoint at once. */
    concurrency: number
    /** Tokens that one process may have embedded by an endpoint; null: any number. */
    tokenLimit: number | null
    /** Characters; null where the user set none (upstream's written-out default counts as none). */
    chunkSize: number | null
    chunkOverlap: number | null
    baseUrl: string | null
    apiKey: string | null
  }
  query: { topK: number }
  mcp: { answerShape: 'og' | 'openground' }
  sources: { autoAddLocal: boolean; filePath: string | null }
  /** The limits of the agent for which this process works; null: a person has started it. */
  reach: Reach | null
}
