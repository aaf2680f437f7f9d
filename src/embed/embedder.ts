/** The properties that two embeddings must share to be comparable. */
export type Fingerprint = {
  model: string
  dimensions: number
  pooling: string
  queryPrefix: string
  /** Signs of the numbers in a fixed text's embedding (probe.ts), for models on other machines. */
  probe?: string
}

/** Computes L2-normalised embeddings of texts. */
export interface Embedder extends AsyncDisposable {
  readonly fingerprint: Fingerprint
  /** How the numbers are computed: `native-int8`, `onnx-int8`, `openai`. */
  readonly arithmetic: string
  /** The engine and instruction set, for display. Known once the model is loaded. */
  readonly detail?: string
  /** Maximum number of tokens in an input, including special tokens. */
  readonly maxTokens: number
  /** The best number of texts per call. If the process dies, the running call is lost. */
  readonly batchTexts?: number
  /** Embeds passages into a row-major block of texts.length × dimensions numbers. */
  embed(texts: string[]): Promise<Float32Array>
  /** Determines once which model answers (probe.ts). Only for models that run elsewhere. */
  probe?(): Promise<string>
  /** Embeds a query with the model's prefix or `prefix`. Queries overtake waiting passages. */
  embedQuery(text: string, prefix?: string): Promise<Float32Array>
}

/**
 * Counts tokens like the model, but without special tokens. `tokenizerPath` is the path of a
 * `tokenizer.json` that other processes can open.
 */
export type CountTokens = ((text: string) => number) & { readonly tokenizerPath?: string }
