import type { Reach } from '../platform/reach.ts'
import type { StoreAccess } from '../store/remote/s3.ts'

export type Config = {
  dbPath: string
  /**
   * True if the user chose the store. It must then exist, because a typo would look like an empty
   * store.
   */
  isStoreNamed: boolean
  cachePath: string
  store: StoreAccess & { cacheBytes: number }
  modelDir: string | null
  rawDataPath: string
  extraction: { concurrencyLimit: number }
  embeddings: {
    backend: 'builtin' | 'openai' | 'none'
    engine: 'auto' | 'native' | 'onnx'
    model: string
    dimensions: number
    batchSize: number
    concurrency: number
    tokenLimit: number | null
    /**
     * Maximum chunk length in characters; null if the user has not set it. Upstream's default
     * counts as unset, because upstream writes it into the file.
     */
    chunkSize: number | null
    chunkOverlap: number | null
    baseUrl: string | null
    apiKey: string | null
  }
  query: { topK: number }
  mcp: { answerShape: 'og' | 'openground' }
  sources: { autoAddLocal: boolean; filePath: string | null }
  /** The restrictions of the agent that started this process; null if a person started it. */
  reach: Reach | null
}
