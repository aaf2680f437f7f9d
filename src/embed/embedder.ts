/** The properties that two embeddings must share to be comparable. */
export type Fingerprint = {
  model: string
  dimensions: number
  pooling: string
  queryPrefix: string
  /** The signs of the embedding of a fixed text (probe.ts); only for models computed elsewhere. */
  probe?: string
}

/** Turns texts into L2-normalised embeddings. */
export interface Embedder extends AsyncDisposable {
  readonly fingerprint: Fingerprint
  /** How the numbers are computed: `native-int8`, `onnx-int8`, `openai`. */
  readonly arithmetic: string
  /** For people: which engine and instruction set, once the model is loaded. */
  readonly detail?: string
  /** Longest input in tokens, special tokens included. */
  readonly maxTokens: number
  /** The best number of texts for a call; a call under way is lost if the process dies. */
  readonly batchTexts?: number
  /** Embeds passages. Row-major block of texts.length × dimensions. */
  embed(texts: string[]): Promise<Float32Array>
  /** Asks once which model answers (probe.ts); only for models computed elsewhere. */
  probe?(): Promise<string>
  /** Embeds a query after the model's query prefix or `prefix`; overtakes waiting passages. */
  embedQuery(text: string, prefix?: string): Promise<Float32Array>
}

/**
 * Counts tokens as the model does, without special tokens. `tokenizerPath` is the `tokenizer.json`
 * it uses, if it has one that another process can open.
 */
export type CountTokens = ((text: string) => number) & { readonly tokenizerPath?: string }
