import { terms } from '../../chunk/terms.ts'
import { sha256 } from '../../platform/hash.ts'
import type { EntryChunk } from './entry-chunks.ts'

/** A chunk as the index keeps it. */
export type KeyedChunk = EntryChunk & {
  /** The same as long as all but its lines is the same. */
  key: string
  /** What is embedded, and the hash by which its embedding is found again. */
  embedded: string
  embedHash: Uint8Array
  /** What full-text search finds it by, separated by spaces. */
  terms: { heading: string; tags: string; body: string }
}

export function keyed(chunk: EntryChunk): KeyedChunk {
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
      heading: terms(`${date ?? ''} ${heading}`).join(' '),
      tags: terms(tags.join(' ')).join(' '),
      body: terms(body).join(' '),
    },
  }
}

/** `- [Ann] --works at--> [Acme] (2026-01-02) - "since May"`: grammar is not what is asked for. */
const relation = new RegExp(
  String.raw`^\s*-\s+\[([^\]]+)\]\s+--([^->]+)-->\s+\[([^\]]+)\]` +
    String.raw`\s*(?:\([\d-]+\))?\s*(?:[-–—]\s*)?`,
)

/** The text without its heading, tag line and marks, and relations as a sentence. */
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
  return lines.filter((line) => !/^<!-- corrects: \w+ -->$/.test(line)).join('\n').trim()
}

/** `2026-04-08 14:30`: what `append` writes says nothing of the entry's meaning. */
function isOnlyTime(heading: string): boolean {
  return /^(?:\d{4}-\d\d-\d\d)?\s*(?:\d\d:\d\d)?$/.test(heading)
}
