import { readFileSync } from 'node:fs'
import { Tokenizer } from '@huggingface/tokenizers'
import { OgError } from '../platform/error.ts'
import type { CountTokens } from './embedder.ts'

export type TextTokenizer = {
  /** Returns token ids with [CLS] and [SEP], truncated to a total of `maxTokens`. */
  encode(text: string, maxTokens: number): number[]
  /** Counts tokens, excluding special tokens. */
  count: CountTokens
}

/** Opens a `tokenizer.json` in the Hugging Face format. */
export function openTokenizer(path: string): TextTokenizer {
  const tokenizer = readTokenizer(path)
  return {
    encode(text, maxTokens) {
      const { ids } = tokenizer.encode(text)
      if (ids.length <= maxTokens) return ids
      // Keeps the closing [SEP], as the truncation of the reference implementation does.
      return [...ids.slice(0, maxTokens - 1), ids[ids.length - 1] as number]
    },
    count: (text) => tokenizer.encode(text).ids.length - 2,
  }
}

function readTokenizer(path: string): Tokenizer {
  try {
    const bytes = readFileSync(path)
    const sparse = openLazyTokenizer(bytes)
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

/**
 * A parsed tokenizer.json without its vocabulary, apart from added tokens; `vocabulary` is lazy.
 */
type SparseTokenizer = { json: Framework; vocabulary: Vocabulary }

type Vocabulary = NonNullable<Tokenizer['model']>['tokens_to_ids']
type Framework = {
  added_tokens: { content: string; id: number }[]
  model: { type: string; vocab: Record<string, number> }
}

/**
 * Number of look-ups before the whole vocabulary is parsed; they take a third of the time of
 * parsing it.
 */
const mostLookups = 400

/**
 * Opens a WordPiece tokenizer that searches the bytes of the file for each token when it is first
 * used: a query needs only a few dozen of the 30,000 tokens, and parsing all of them takes longer
 * than embedding the query. After many look-ups, or for a token that has several spellings in JSON,
 * the whole vocabulary is parsed. Returns null if the file is of another kind or has an unusual
 * layout.
 */
export function openLazyTokenizer(bytes: Buffer): SparseTokenizer | null {
  const name = bytes.indexOf('"vocab":')
  const start = bytes.indexOf('{', name)
  // Only brackets follow the last key.
  const end = bytes.indexOf('}', bytes.lastIndexOf('"')) + 1
  if (name < 0 || start < 0 || end <= start) return null
  const json = framework(`${bytes.toString('utf8', 0, start)}{}${bytes.toString('utf8', end)}`)
  if (json?.model?.type !== 'WordPiece' || !Array.isArray(json.added_tokens)) return null
  json.model.vocab = Object.fromEntries(json.added_tokens.map((it) => [it.content, it.id]))
  return { json, vocabulary: lazyVocabulary(bytes.subarray(start, end)) }
}

function framework(text: string): Framework | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Makes a lazy vocabulary from a JSON object with tokens and their ids. */
function lazyVocabulary(json: Buffer): Vocabulary {
  const ids = new Map<string, number | undefined>()
  let lookups = 0
  let all: ReadonlyMap<string, number> | null = null
  function idOf(token: string): number | undefined {
    if (all !== null) return all.get(token)
    if (ids.has(token)) return ids.get(token)
    const id = ++lookups <= mostLookups ? idAmong(json, token) : 'unclear'
    if (id === 'unclear') {
      all = new Map(Object.entries(JSON.parse(json.toString()) as Record<string, number>))
      return all.get(token)
    }
    ids.set(token, id)
    return id
  }
  return Object.assign(new Map<string, number>(), {
    get: idOf,
    has: (token: string) => idOf(token) !== undefined,
  })
}

/** Matches tokens whose ASCII characters are usually not escaped in JSON. */
const plain = /^[!#-.0-[\]-~]+$/

function idAmong(json: Buffer, token: string): number | undefined | 'unclear' {
  if (!plain.test(token)) return 'unclear'
  const key = `"${token}":`
  const at = json.indexOf(key)
  if (at < 0) return undefined
  const from = at + key.length
  const id = /^\s*(\d+)\s*[,}]/.exec(json.toString('latin1', from, from + 24))?.[1]
  // If a backslash precedes it, the match is the end of another key that contains an escaped quote.
  return id === undefined || json[at - 1] === 0x5c ? 'unclear' : Number(id)
}
