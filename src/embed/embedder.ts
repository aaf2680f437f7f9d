/** The properties that two embeddings must share to be comparable. */
export type Fingerprint = {
  model: string
  dimensions: number
  pooling: string
  queryPrefix: string
  /** Signs of the embedding of a fixed text (probe.ts); only for models computed elsewhere. */
  probe?: string
}

/** Turns texts into L2-normalised embeddings. */
export interface Embedder extends AsyncDisposable {
  readonly fingerprint: Fingerprint
  /** The way the numbers are computed: `native-int8`, `onnx-int8`, `openai`. */
  readonly arithmetic: string
  /** The engine and instruction set for display, once the model is loaded. */
  readonly detail?: string
  /** Maximum number of tokens of an input, including special tokens. */
  readonly maxTokens: number
  /** The best number of texts per call; a running call is lost if the process dies. */
  readonly batchTexts?: number
  /** Embeds passages into a row-major block of texts.length × dimensions. */
  embed(texts: string[]): Promise<Float32Array>
  /** Finds out once which model answers (probe.ts); only for models computed elsewhere. */
  probe?(): Promise<string>
  /** Embeds a query with the model's query prefix, or with `prefix`; overtakes waiting passages. */
  embedQuery(text: string, prefix?: string): Promise<Float32Array>
}

/**
 * Counts tokens as the model does, without special tokens. `tokenizerPath` is the path of its
 * `tokenizer.json`, if another process can open it.
 */
export type CountTokens = ((text: string) => number) & { readonly tokenizerPath?: string }
