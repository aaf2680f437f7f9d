import { readFileSync } from 'node:fs'
import { Tokenizer } from '@huggingface/tokenizers'
import { OgError } from '../platform/error.ts'
import { cachedByWord } from '../platform/lru-cache.ts'
import type { CountTokens } from './embedder.ts'

export type TextTokenizer = {
  /** Returns token ids with [CLS] and [SEP], truncated to a total of `maxTokens`. */
  encode(text: string, maxTokens: number): number[]
  /** Counts tokens, excluding special tokens. */
  count: CountTokens
}

/** Opens a `tokenizer.json` in the Hugging Face format. */
export function openTokenizer(path: string): TextTokenizer {
  const { tokenizer, json } = readTokenizer(path)
  const { encode, count } = encoderOf(tokenizer, json)
  return {
    encode(text, maxTokens) {
      const ids = encode(text)
      if (ids.length <= maxTokens) return ids
      // Keeps the closing [SEP], as the reference implementation's truncation does.
      return [...ids.slice(0, maxTokens - 1), ids[ids.length - 1] as number]
    },
    count,
  }
}

type Encoder = { encode(text: string): number[]; count(text: string): number }

function encoderOf(tokenizer: Tokenizer, json: Framework): Encoder {
  const encode = (text: string) => tokenizer.encode(text).ids
  const whole = { encode, count: (text: string) => encode(text).length - 2 }
  const { model, normalizer, pre_tokenizer: splitter, added_tokens: added } = json
  const types = [model.type, normalizer?.type, splitter?.type].join()
  const isBert = types === 'WordPiece,BertNormalizer,BertPreTokenizer'
  if (!isBert || added.some(({ normalized }) => normalized)) return whole
  const [first, last] = encode('') as [number, number]
  const pieces = wordPieces(tokenizer, json)
  const idsOf = cachedByWord((word, isPlain: boolean) =>
    isPlain ? pieces(word) : encode(word).slice(1, -1),
  )
  const hasAddedToken = (text: string) => added.some(({ content }) => text.includes(content))
  return {
    encode(text) {
      if (hasAddedToken(text)) return whole.encode(text)
      const ids = [first]
      forEachWord(text, (word, isPlain) => {
        for (const id of idsOf(word, isPlain)) ids.push(id)
      })
      ids.push(last)
      return ids
    },
    count(text) {
      if (hasAddedToken(text)) return whole.count(text)
      let n = 0
      forEachWord(text, (word, isPlain) => void (n += idsOf(word, isPlain).length))
      return n
    },
  }
}

/**
 * Returns a function that divides an ASCII word into the longest tokens from left to right, as the
 * tokenizer does. Normalising and splitting such a word takes most of the tokenizer's time.
 */
function wordPieces({ model }: Tokenizer, json: Framework): (word: string) => number[] {
  const { unk_token: unknown, continuing_subword_prefix: prefix = '##' } = json.model
  const longest = json.model.max_input_chars_per_word ?? 100
  const vocabulary = model!.tokens_to_ids
  return (spelling) => {
    const word = json.normalizer!.lowercase ? spelling.toLowerCase() : spelling
    if (word.length > longest) return [vocabulary.get(unknown)!]
    const ids: number[] = []
    for (let start = 0; start < word.length; ) {
      let [end, id] = [word.length, undefined as number | undefined]
      for (; end > start && id === undefined; end--) {
        id = vocabulary.get((start > 0 ? prefix : '') + word.slice(start, end))
      }
      if (id === undefined) return [vocabulary.get(unknown)!]
      ids.push(id)
      start = end + 1
    }
    return ids
  }
}

/**
 * Calls `use` with parts of a text that BERT's normaliser and pre-tokenizer treat independently:
 * ASCII punctuation marks, and the ASCII words between them. A part with any other character stays
 * whole up to white space because case and accents may depend on neighbouring characters.
 */
function forEachWord(text: string, use: (word: string, isPlain: boolean) => void): void {
  for (let start = 0; start < text.length; start++) {
    let [end, isPlain] = [start, true]
    for (; end < text.length; end++) {
      const kind = kindOf(text.charCodeAt(end))
      if (kind === space) break
      if (kind === other) isPlain = false
    }
    if (!isPlain) use(text.slice(start, end), false)
    for (let at = start; isPlain && at < end; ) {
      const from = at++
      if (kindOf(text.charCodeAt(from)) === word) {
        while (at < end && kindOf(text.charCodeAt(at)) === word) at++
      }
      use(text.slice(from, at), true)
    }
    start = end
  }
}

const [other, space, word, mark] = [0, 1, 2, 3]
/** The kinds of ASCII characters. BERT removes control characters except tab and line ends. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[ \t\n\r]/.test(character)) return space
  if (/[A-Za-z0-9]/.test(character)) return word
  return /[!-~]/.test(character) ? mark : other
})

function kindOf(code: number): number {
  return code < 128 ? kinds[code]! : other
}

function readTokenizer(path: string): { tokenizer: Tokenizer; json: Framework } {
  try {
    const bytes = readFileSync(path)
    const sparse = openLazyTokenizer(bytes)
    const json: Framework = sparse?.json ?? JSON.parse(bytes.toString())
    const tokenizer = new Tokenizer(json, {})
    if (sparse !== null) tokenizer.model!.tokens_to_ids = sparse.vocabulary
    return { tokenizer, json }
  } catch (cause) {
    throw new OgError(`Cannot read tokenizer ${path}: it is missing or not a tokenizer.json`, {
      hint: 'run og doctor',
      cause,
    })
  }
}

/** A parsed tokenizer.json whose vocabulary is lazy, apart from added tokens. */
type SparseTokenizer = { json: Framework; vocabulary: Vocabulary }

type Vocabulary = NonNullable<Tokenizer['model']>['tokens_to_ids']
type Framework = {
  added_tokens: { content: string; id: number; normalized: boolean }[]
  normalizer: { type: string; lowercase?: boolean } | null
  pre_tokenizer: { type: string } | null
  model: {
    type: string
    vocab: Record<string, number>
    unk_token: string
    continuing_subword_prefix?: string
    max_input_chars_per_word?: number
  }
}

/** Number of look-ups before the whole vocabulary is parsed. They take a third of that time. */
const mostLookups = 400

/**
 * Opens a WordPiece tokenizer that searches the file's bytes for each token on first use. A query
 * needs only a few dozen of the 30,000 tokens, and parsing all of them takes longer than embedding
 * the query. After many look-ups, or for a token that has several spellings in JSON, parses the
 * whole vocabulary. Returns null if the file has a different kind of tokenizer or an unusual
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

/** Makes a lazy vocabulary from a JSON object that maps tokens to ids. */
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
  // After a backslash, the match is the end of a different key with an escaped quote.
  return id === undefined || json[at - 1] === 0x5c ? 'unclear' : Number(id)
}
