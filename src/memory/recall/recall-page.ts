import { queryTerms, indexTermsOf } from '../../chunk/terms.ts'
import { cutToWords } from '../../platform/tokens.ts'
import type { HitWithRelations, MemoryAnswer } from '../index/memory-search.ts'

/** A hit under upstream's names. `memory_read` accepts its `path` and lines as they are. */
export type HitJson = {
  chunk_id: string
  entry_id: string
  /** Relative to the workspace, with `/`. */
  path: string
  file: string
  source: string
  /** 1-based, inclusive. */
  start_line: number
  end_line: number
  heading: string
  date: string | null
  tags: string[]
  text: string
  content: string
  /**
   * About 32 words around the first query term, with the terms in `<b>`; null if there is no term.
   */
  snippet: string | null
  score: number
  vector_score: number
  text_score: number
  confidence: 'high' | 'weak'
  corrected_by: string | null
  /** Set if the entry is valid only from or until a given day. */
  valid_from?: string
  valid_until?: string
  relation_context: string[]
  /** Set if the text alone exceeds the whole budget. */
  truncated?: true
}

export type AnswerPage = { results: HitJson[]; next_offset: number | null }

/**
 * Returns as many hits as fit into `maxTokens`, at four characters per token; `next_offset` points
 * to the rest. The first hit is always included; if it is too long, it is truncated and marked.
 */
export function answerPage(
  answer: MemoryAnswer,
  options: { query: string; offset: number; maxTokens: number | null },
): AnswerPage {
  const { query, offset, maxTokens } = options
  const queried = new Set(queryTerms(query, 64))
  let left = maxTokens === null ? Infinity : maxTokens * 4
  const results: HitJson[] = []
  for (const hit of answer.hits) {
    if (results.length > 0 && hit.text.length > left) {
      return { results, next_offset: offset + results.length }
    }
    results.push(hitJson(hit, queried, left))
    left -= hit.text.length
  }
  return { results, next_offset: answer.nextOffset }
}

function hitJson(hit: HitWithRelations, queried: Set<string>, maxChars: number): HitJson {
  const text = cutToWords(hit.text, maxChars)
  return {
    chunk_id: String(hit.id),
    entry_id: hit.entryId,
    path: hit.path,
    file: hit.path,
    source: hit.source,
    start_line: hit.startLine,
    end_line: hit.endLine,
    heading: hit.heading,
    date: hit.date,
    tags: hit.tags,
    text,
    content: text,
    snippet: snippet(hit.text, queried),
    score: rounded(hit.score),
    vector_score: rounded(hit.vectorScore),
    text_score: rounded(hit.textScore),
    confidence: hit.isWeak ? 'weak' : 'high',
    corrected_by: hit.correctedBy,
    ...(hit.validFrom !== null && { valid_from: hit.validFrom }),
    ...(hit.validUntil !== null && { valid_until: hit.validUntil }),
    relation_context: hit.relations,
    ...(text.length < hit.text.length && { truncated: true as const }),
  }
}

const snippetWords = 32

function snippet(text: string, queried: Set<string>): string | null {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const isWanted = words.map((word) => indexTermsOf(word).some((term) => queried.has(term)))
  const first = isWanted.indexOf(true)
  if (first === -1) return null
  const start = Math.max(0, Math.min(first - 8, words.length - snippetWords))
  const shown = words
    .slice(start, start + snippetWords)
    .map((word, i) => (isWanted[start + i] ? `<b>${word}</b>` : word))
  const before = start > 0 ? '...' : ''
  const after = start + snippetWords < words.length ? '...' : ''
  return `${before}${shown.join(' ')}${after}`
}

/** Rounds to four decimals, as upstream does; RRF's small scores need the digits. */
function rounded(score: number): number {
  return Math.round(score * 10_000) / 10_000
}
