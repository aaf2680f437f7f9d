import { chunkerLine, parseChunker } from './chunker.ts'
import type { Entry, Generation } from './registry.ts'

/** A row as it stands on the disk, where a chunker is a line. */
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

/** What is wrong with what should be the entries of a registry, and where; null: nothing. */
export function entriesFault(entries: unknown): string | null {
  return fault(entries, listOf(entry), 'entries')
}

/** The same of one entry that stands by itself. */
export function entryFault(found: unknown): string | null {
  return fault(found, entry, 'entry')
}

/** Whether a value is what it should be: a word that says what, or the rules of its fields. */
type Rule = { says: string; holds: (value: unknown) => boolean; fields?: Record<string, Rule> }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const isText = (value: unknown) => typeof value === 'string'
const rule = (says: string, holds: Rule['holds']): Rule => ({ says, holds })
const object = (fields: Record<string, Rule>): Rule =>
  ({ says: 'an object', holds: isObject, fields })
const listOf = (item: Rule): Rule =>
  ({ says: 'a list', holds: Array.isArray, fields: { '*': item } })
const orNull = (one: Rule): Rule =>
  ({ ...one, says: `${one.says} or null`, holds: (it) => it === null || one.holds(it) })
const absent = (one: Rule): Rule => ({ ...one, holds: (it) => it === undefined || one.holds(it) })

const text = rule('a text', isText)
const count = rule('a count', isCount)
const number = rule('a number', Number.isFinite)
const list = rule('a list of texts', (it) => Array.isArray(it) && it.every(isText))
/** A name of a folder: it never leads anywhere else. */
const id = rule('a name of a folder', (it) => isText(it) && /^(?!\.)[^/\\\0]+$/.test(it as string))

const source: Rule = {
  says: 'a source',
  holds: (it) => isObject(it) && isText(it.kind),
  fields: Object.fromEntries([
    ...['path', 'url', 'baseUrl', 'refPath', 'below'].map((name) => [name, absent(text)]),
    ...['docsPaths', 'languages', 'filterKeywords', 'exclude'].map((name) => [name, absent(list)]),
  ]),
}

const generation = object({
  id,
  pages: count,
  chunks: count,
  source,
  ref: orNull(text),
  commit: orNull(text),
  indexedAt: rule('a date', (it) => isText(it) && Number.isFinite(Date.parse(it as string))),
  fingerprint: orNull(object({
    model: text,
    dimensions: count,
    pooling: text,
    queryPrefix: text,
  })),
  arithmetic: orNull(text),
  chunker: text,
  contentHash: text,
  failed: absent(count),
  calibration: absent(object({ own: number, foreign: number })),
})

const entry = object({
  key: text, library: text, version: text, live: generation, previous: orNull(generation),
})

function fault(value: unknown, { says, holds, fields = {} }: Rule, place: string): string | null {
  if (!holds(value)) return `${place} is not ${says}`
  if (value === null || value === undefined) return null
  for (const [name, inner] of Object.entries(fields)) {
    const found = name === '*'
      ? (value as unknown[]).map((it, i) => fault(it, inner, `${place}[${i}]`))
      : [fault((value as Record<string, unknown>)[name], inner, `${place}.${name}`)]
    const first = found.find((it) => it !== null)
    if (first !== undefined) return first
  }
  return null
}
