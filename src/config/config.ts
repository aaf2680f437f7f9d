import type { Reach } from '../platform/reach.ts'
import type { TableHostAddress } from '../store/remote/tables/table-host.ts'
import type { StoreAccess } from '../store/remote/dialect/credentials.ts'

/** The effective settings, resolved once. Only main, cli, mcp and open see this type. */
export type Config = {
  /** Our store: registry, generations, embedding cache. */
  dbPath: string
  /** Whether somebody named it: then it has to be there, or a slip looks like an empty store. */
  isStoreNamed: boolean
  /** Natives and model unpacked from the executable; downloaded models. */
  cachePath: string
  /** What a store in a bucket needs; `dbPath` is its address then. */
  store: StoreAccess & {
    cacheBytes: number
    /** The bucket beside a service that keeps the tables. */
    registry: string | null
    tableHost: Omit<TableHostAddress, 'place' | 'ready'>
  }
  modelDir: string | null
  /** Raw pages as JSON, by library and version: upstream's `raw_data`. */
  rawDataPath: string
  extraction: { concurrencyLimit: number }
  embeddings: {
    backend: 'builtin' | 'openai' | 'none'
    /** What computes the built-in model. */
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
  sources: { autoAddLocal: boolean; filePath: string | null }
  /** Of the agent for which this process works; null: a person has started it. */
  reach: Reach | null
}
