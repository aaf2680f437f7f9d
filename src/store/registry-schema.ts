import { isIsoDate } from '../platform/text/iso-date.ts'
import { chunkerLine, parseChunker } from './chunker.ts'
import type { Entry, Generation } from './registry.ts'
import {
  absent,
  fault,
  isCount,
  isObject,
  isText,
  listOf,
  object,
  orNull,
  rule,
  type Rule,
} from './shape.ts'

/** A registry row as stored on disk; its chunker is a line of text. */
export type StoredEntry = Omit<Entry, 'live' | 'previous'> & {
  live: StoredGeneration
  previous: StoredGeneration | null
}
type StoredGeneration = Omit<Generation, 'chunker'> & { chunker: string }

export function readEntry({ live, previous, ...row }: StoredEntry): Entry {
  return { ...row, live: readGeneration(live), previous: previous && readGeneration(previous) }
}

export function storedEntry({ live, previous, ...row }: Entry): StoredEntry {
  return { ...row, live: storedGeneration(live), previous: previous && storedGeneration(previous) }
}

function readGeneration(stored: StoredGeneration): Generation {
  return { ...stored, chunker: parseChunker(stored.chunker) }
}

function storedGeneration(generation: Generation): StoredGeneration {
  return { ...generation, chunker: chunkerLine(generation.chunker) }
}

/**
 * Describes the first fault in the entries of a registry, with its path; null if they are valid.
 */
export function entriesFault(entries: unknown): string | null {
  return fault(entries, listOf(entry), 'entries')
}

/** Describes a fault in the retired generations of a bucket's registry; null if they are valid. */
export function retiredFault(retired: unknown): string | null {
  if (retired === undefined) return null
  const isKnown =
    isObject(retired) &&
    Object.entries(retired as object).every(([name, at]) => id.holds(name) && isIsoDate(at))
  return isKnown ? null : 'retired is not a list of dates by generation'
}

/** Describes the first fault in a single entry, with its path; null if it is valid. */
export function entryFault(row: unknown): string | null {
  return fault(row, entry, 'entry')
}

const text = rule('a text', isText)
const count = rule('a count', isCount)
const number = rule('a number', Number.isFinite)
const list = rule('a list of texts', (it) => Array.isArray(it) && it.every(isText))
/** A folder name that cannot lead anywhere else. */
const id = rule('a name of a folder', (it) => isText(it) && /^(?!\.)[^/\\\0]+$/.test(it as string))

/** Checks a `Source` (source.ts). */
export const sourceRule: Rule = {
  says: 'a source',
  holds: (it) => isObject(it) && isText(it.kind),
  fields: Object.fromEntries([
    ...[
      'path',
      'url',
      'baseUrl',
      'refPath',
      'below',
      'package',
      'version',
      'api',
      'apiArchive',
    ].map((name) => [name, absent(text)]),
    ...['docsPaths', 'languages', 'filterKeywords', 'exclude'].map((name) => [name, absent(list)]),
  ]),
}

/** Checks a `Fingerprint` (embed/embedder.ts). */
export const fingerprintRule = object({
  model: text,
  dimensions: count,
  pooling: text,
  queryPrefix: text,
  probe: absent(rule('hexadecimal digits', (it) => /^[0-9a-f]{0,64}$/.test(String(it)))),
})

const generation = object({
  id,
  pages: count,
  chunks: count,
  source: sourceRule,
  ref: orNull(text),
  commit: orNull(text),
  tag: absent(text),
  indexedAt: rule('a date in UTC (ISO 8601)', isIsoDate),
  fingerprint: orNull(fingerprintRule),
  arithmetic: orNull(text),
  chunker: text,
  contentHash: text,
  failed: absent(count),
  incomplete: absent(object({ reason: text, host: orNull(text), intended: absent(sourceRule) })),
  embedded: absent(count),
  leftovers: absent(
    object({
      includes: count,
      shortcodes: count,
      components: count,
      empty: count,
      fileTitle: count,
      pages: count,
      examples: list,
    }),
  ),
  calibration: absent(object({ own: number, foreign: number })),
  pack: absent(object({ place: text, sha256: text })),
})

const entry = object({
  key: text,
  library: text,
  version: text,
  live: generation,
  previous: orNull(generation),
})
