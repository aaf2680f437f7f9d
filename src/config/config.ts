import type { Reach } from '../platform/reach.ts'
import type { TableHostAddress } from '../store/remote/tables/host-tables.ts'
import type { StoreAccess } from '../store/remote/dialect/credentials.ts'

/** The effective settings, resolved once. Only main, cli, mcp and open use this type. */
export type Config = {
  /** The folder or address of the store: registry, generations, embedding cache. */
  dbPath: string
  /**
   * True if a user chose the store. It must exist then; otherwise a typing error would look like an
   * empty store.
   */
  isStoreNamed: boolean
  /** The folder for natives and models unpacked from the executable, and for downloaded models. */
  cachePath: string
  /** Access to a store in a bucket; `dbPath` is its address then. */
  store: StoreAccess & {
    cacheBytes: number
    /** The bucket of a store whose tables are kept by a service. */
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
    /** Maximum number of parallel requests to an endpoint. */
    concurrency: number
    /** Limit for the tokens that one process may send to an endpoint; null means no limit. */
    tokenLimit: number | null
    /**
     * Maximum length in characters; null if the user set none. Upstream writes its default into the
     * file, so that value counts as not set.
     */
    chunkSize: number | null
    chunkOverlap: number | null
    baseUrl: string | null
    apiKey: string | null
  }
  query: { topK: number }
  mcp: { answerShape: 'og' | 'openground' }
  sources: { autoAddLocal: boolean; filePath: string | null }
  /** The limits of the agent that started this process; null if a person started it. */
  reach: Reach | null
}
