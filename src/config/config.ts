import type { RerankerOptions } from '../embed/reranker.ts'
import type { Reach } from '../platform/reach.ts'
import type { TableHostAddress } from '../store/remote/tables/host-tables.ts'
import type { StoreAccess } from '../store/remote/dialect/credentials.ts'

/** The effective settings, resolved once. Only main, cli, mcp and open use this type. */
export type Config = {
  /** The folder or URL of the store: registry, generations, embedding cache. */
  dbPath: string
  /**
   * True if the user chose the store. It must then exist, because otherwise a typing error would
   * look like an empty store.
   */
  isStoreNamed: boolean
  /** The folder for downloaded models and for natives and models unpacked from the executable. */
  cachePath: string
  /** Access to a store in a bucket, whose URL is then `dbPath`. */
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
    /** The engine that runs the built-in model. */
    engine: 'auto' | 'native' | 'onnx'
    model: string
    dimensions: number
    batchSize: number
    /** Maximum number of parallel requests to an endpoint. */
    concurrency: number
    /** Maximum number of tokens that one process may send to an endpoint; null means no limit. */
    tokenLimit: number | null
    /**
     * Maximum length in characters; null if the user did not set one. Upstream writes its default
     * into the file, so that value counts as not set.
     */
    chunkSize: number | null
    chunkOverlap: number | null
    baseUrl: string | null
    apiKey: string | null
  }
  query: { topK: number }
  /** `url` is null if there is no reranker. */
  rerank: Omit<RerankerOptions, 'url'> & { url: string | null }
  mcp: { answerShape: 'og' | 'openground' }
  sources: { autoAddLocal: boolean; filePath: string | null }
  /** The limits of the agent that started this process; null if a person started it. */
  reach: Reach | null
}
