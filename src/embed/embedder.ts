/** What is needed to know whether two embeddings may be compared. */
export type Fingerprint = {
  model: string
  dimensions: number
  pooling: string
  queryPrefix: string
  /** Signs of the embedding of one fixed text (probe.ts); absent where nobody else computes it. */
  probe?: string
}

/** Turns texts into L2-normalised embeddings. One narrow interface; one file per kind. */
export interface Embedder extends AsyncDisposable {
  readonly fingerprint: Fingerprint
  /** How the numbers are computed (`native-int8`, `onnx-int8`, `openai`); only recorded. */
  readonly arithmetic: string
  /** For people: which engine and instruction set, once the model is loaded. */
  readonly detail?: string
  /** Longest input in tokens, special tokens included. */
  readonly maxTokens: number
  /** How many texts a call is best given; what was under way is lost when the process dies. */
  readonly batchTexts?: number
  /** Embeds passages. Row-major block of texts.length × dimensions. */
  embed(texts: string[]): Promise<Float32Array>
  /** Asks by what numbers it answers (probe.ts), once; absent where nobody else computes them. */
  probe?(): Promise<string>
  /** Embeds one query, behind the model's query prefix or another; overtakes passages that wait. */
  embedQuery(text: string, prefix?: string): Promise<Float32Array>
}

/**
 * Counts tokens as the model does, special tokens excluded; by the `tokenizer.json` at
 * `tokenizerPath`, where it is one that another process can open.
 */
export type CountTokens = ((text: string) => number) & { readonly tokenizerPath?: string }
