import { indexTermsOf } from '../../chunk/terms.ts'
import { sha256 } from '../../platform/hash.ts'
import type { EntryChunk } from './entry-chunks.ts'

/** A chunk in the form that the index stores. */
export type KeyedChunk = EntryChunk & {
  /** A hash of everything except id and lines, so that a moved chunk keeps it. */
  key: string
  /** The embedded text, and the hash that identifies its embedding. */
  embedded: string
  embedHash: Uint8Array
  /** The terms for full-text search, separated by spaces. */
  terms: { heading: string; tags: string; body: string }
}

export function toKeyedChunk(chunk: EntryChunk): KeyedChunk {
  const { heading, date, time, tags, corrects, part, text } = chunk
  const body = spokenText(chunk)
  const embedded = [isOnlyTime(heading) ? '' : heading, tags.join(' '), body]
    .filter((line) => line !== '')
    .join('\n')
  return {
    ...chunk,
    key: sha256(JSON.stringify([heading, date, time, tags, corrects, part, text])).slice(0, 32),
    embedded,
    embedHash: new Bun.CryptoHasher('sha256').update(embedded).digest(),
    terms: {
      heading: indexTermsOf(`${date ?? ''} ${heading}`).join(' '),
      tags: indexTermsOf(tags.join(' ')).join(' '),
      body: indexTermsOf(body).join(' '),
    },
  }
}

/**
 * A relation line, such as `- [Ann] --works at--> [Acme] (2026-01-02) - "since May"`. Its
 * punctuation is not searched.
 */
const relation = new RegExp(
  String.raw`^\s*-\s+\[([^\]]+)\]\s+--([^->]+)-->\s+\[([^\]]+)\]` +
    String.raw`\s*(?:\([\d-]+\))?\s*(?:[-–—]\s*)?`,
)

/** The searchable text: without heading, tag line and marks; a relation as a sentence. */
function spokenText({ text, heading, tags }: EntryChunk): string {
  const triple = relation.exec(text)
  if (triple !== null) {
    const [whole, subject, predicate, object] = triple
    return `${subject} ${predicate!.trim()} ${object}. ${text.slice(whole.length)}`.trim()
  }
  const lines = text.split('\n')
  if (/^ {0,3}#{2,6}[ \t]/.test(lines[0]!) && lines[0]!.includes(heading)) lines.shift()
  const first = lines.findIndex((line) => line.trim() !== '')
  if (tags.length > 0 && lines[first]?.startsWith('#')) lines.splice(first, 1)
  return lines
    .filter((line) => !/^<!-- corrects: \w+ -->$/.test(line))
    .join('\n')
    .trim()
}

/** Whether a heading in the form of `append` is only a time and says nothing about the entry. */
function isOnlyTime(heading: string): boolean {
  return /^(?:\d{4}-\d\d-\d\d)?\s*(?:\d\d:\d\d)?$/.test(heading)
}
