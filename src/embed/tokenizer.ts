import { readFileSync } from 'node:fs'
import { Tokenizer } from '@huggingface/tokenizers'
import { OgError } from '../platform/error.ts'
import type { CountTokens } from './embedder.ts'
import { sparseTokenizer } from './vocabulary.ts'

export type TextTokenizer = {
  /** Returns token ids with [CLS] and [SEP], truncated to `maxTokens` in total. */
  encode(text: string, maxTokens: number): number[]
  /** Counts tokens without special tokens. */
  count: CountTokens
}

/** Opens a `tokenizer.json` in the Hugging Face format. */
export function openTokenizer(path: string): TextTokenizer {
  const tokenizer = readTokenizer(path)
  return {
    encode(text, maxTokens) {
      const { ids } = tokenizer.encode(text)
      if (ids.length <= maxTokens) return ids
      // Keeps the closing [SEP], as the reference implementation's truncation does.
      return [...ids.slice(0, maxTokens - 1), ids[ids.length - 1] as number]
    },
    count: (text) => tokenizer.encode(text).ids.length - 2,
  }
}

function readTokenizer(path: string): Tokenizer {
  try {
    const bytes = readFileSync(path)
    const sparse = sparseTokenizer(bytes)
    if (sparse === null) return new Tokenizer(JSON.parse(bytes.toString()), {})
    const tokenizer = new Tokenizer(sparse.json, {})
    tokenizer.model!.tokens_to_ids = sparse.vocabulary
    return tokenizer
  } catch (cause) {
    throw new OgError(`Cannot read tokenizer ${path}: it is missing or not a tokenizer.json`, {
      hint: 'run og doctor',
      cause,
    })
  }
}
