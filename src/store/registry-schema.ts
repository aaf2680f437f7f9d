import { isRecord } from '../platform/json.ts'
import { isIsoDate } from '../platform/text/iso-date.ts'
import {
  optional,
  findShapeFault,
  isCount,
  isText,
  listOf,
  object,
  orNull,
  rule,
  type ShapeRule,
} from './json-rules.ts'
import { missingReasons } from '../api/link/unresolved.ts'

/** Describes the first fault in a registry's entries and its path, or returns null. */
export function findEntriesFault(entries: unknown): string | null {
  return findShapeFault(entries, listOf(entry), 'entries')
}

export function findRetiredFault(retired: unknown): string | null {
  if (retired === undefined) return null
  const isKnown =
    isRecord(retired) &&
    Object.entries(retired as object).every(([name, at]) => id.holds(name) && isIsoDate(at))
  return isKnown ? null : 'retired is not a list of dates by generation'
}

/** Describes the first fault in a single entry and its path, or returns null. */
export function findEntryFault(row: unknown): string | null {
  return findShapeFault(row, entry, 'entry')
}

const text = rule('a text', isText)
const count = rule('a count', isCount)
const number = rule('a number', Number.isFinite)
const list = rule('a list of texts', (it) => Array.isArray(it) && it.every(isText))
/** A folder name without path separators. */
const id = rule('a name of a folder', (it) => isText(it) && /^(?!\.)[^/\\\0]+$/.test(it as string))

/** Checks a `Source` (source.ts). */
export const sourceRule: ShapeRule = {
  says: 'a source',
  holds: (it) => isRecord(it) && isText(it.kind),
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
      'registry',
    ].map((name) => [name, optional(text)]),
    ...['docsPaths', 'languages', 'filterKeywords', 'exclude', 'relatives'].map((name) => [
      name,
      optional(list),
    ]),
  ]),
}

export const fingerprintRule = object({
  model: text,
  dimensions: count,
  pooling: text,
  queryPrefix: text,
  probe: optional(rule('hexadecimal digits', (it) => /^[0-9a-f]{0,64}$/.test(String(it)))),
})

/** Checks `PublicNames` (registry.ts). */
export const namesRule = object({
  declared: count,
  missing: count,
  shortened: optional(object({ count, modules: list })),
  groups: listOf(
    object({
      reason: rule('a reason', (it) => missingReasons.includes(it as never)),
      from: text,
      count,
      names: list,
    }),
  ),
})

const generation = object({
  id,
  pages: count,
  chunks: count,
  source: sourceRule,
  ref: orNull(text),
  commit: orNull(text),
  tag: optional(text),
  indexedAt: rule('a date in UTC (ISO 8601)', isIsoDate),
  fingerprint: orNull(fingerprintRule),
  arithmetic: orNull(text),
  chunker: text,
  contentHash: text,
  failed: optional(count),
  incomplete: optional(
    object({ reason: text, host: orNull(text), intended: optional(sourceRule) }),
  ),
  embedded: optional(count),
  leftovers: optional(
    object({
      includes: count,
      shortcodes: count,
      components: count,
      empty: count,
      fileTitle: count,
      pages: count,
      examples: list,
      frequent: optional(listOf(object({ name: text, count }))),
    }),
  ),
  names: optional(namesRule),
  calibration: optional(object({ own: number, foreign: number })),
  pack: optional(object({ place: text, sha256: text })),
})

const entry = object({
  key: text,
  library: text,
  version: text,
  live: generation,
  previous: orNull(generation),
})
