import type { Tokenizer } from '@huggingface/tokenizers'

/** What of a tokenizer.json is parsed at once: its vocabulary holds what is added to it alone. */
export type SparseTokenizer = { json: Framework; vocabulary: Vocabulary }

type Vocabulary = NonNullable<Tokenizer['model']>['tokens_to_ids']
type Framework = {
  added_tokens: { content: string; id: number }[]
  model: { type: string; vocab: Record<string, number> }
}

/** So many look-ups take a third of the time that parsing takes. */
const mostLookups = 400

/**
 * A WordPiece tokenizer of which each token is looked for in the bytes of the file when it is first
 * asked for: a query needs some tens of 30,000, and to parse them all takes longer than to embed
 * it. Who asks for many, or for what may be written in more than one way, gets all of them parsed.
 * Null where the file is another one, or written in an unusual way.
 */
export function sparseTokenizer(bytes: Buffer): SparseTokenizer | null {
  const name = bytes.indexOf('"vocab":')
  const start = bytes.indexOf('{', name)
  // Nothing but brackets is behind the last key.
  const end = bytes.indexOf('}', bytes.lastIndexOf('"')) + 1
  if (name < 0 || start < 0 || end <= start) return null
  const json = framework(`${bytes.toString('utf8', 0, start)}{}${bytes.toString('utf8', end)}`)
  if (json?.model?.type !== 'WordPiece' || !Array.isArray(json.added_tokens)) return null
  json.model.vocab = Object.fromEntries(json.added_tokens.map((it) => [it.content, it.id]))
  return { json, vocabulary: lookedUp(bytes.subarray(start, end)) }
}

function framework(text: string): Framework | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** `written` is a JSON object of tokens and their ids. */
function lookedUp(written: Buffer): Vocabulary {
  const ids = new Map<string, number | undefined>()
  let lookups = 0
  let all: ReadonlyMap<string, number> | null = null
  function idOf(token: string): number | undefined {
    if (all !== null) return all.get(token)
    if (ids.has(token)) return ids.get(token)
    const id = ++lookups <= mostLookups ? idAmong(written, token) : 'unclear'
    if (id === 'unclear') {
      all = new Map(Object.entries(JSON.parse(written.toString()) as Record<string, number>))
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

/** ASCII that JSON has one spelling for. */
const plain = /^[!#-.0-[\]-~]+$/

function idAmong(written: Buffer, token: string): number | undefined | 'unclear' {
  if (!plain.test(token)) return 'unclear'
  const key = `"${token}":`
  const at = written.indexOf(key)
  if (at < 0) return undefined
  const from = at + key.length
  const id = /^\s*(\d+)\s*[,}]/.exec(written.toString('latin1', from, from + 24))?.[1]
  // The end of another key, in which a quote is written \".
  return id === undefined || written[at - 1] === 0x5c ? 'unclear' : Number(id)
}
