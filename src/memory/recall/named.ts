import {
  exactName,
  nameFinder,
  nameForms,
  nameTerms,
  type NameForm,
} from '../../search/name/exact-name.ts'
import { rowsById, type MemoryChunk, type RecallFilter } from '../index/chunk-rows.ts'
import { matchesOfAll } from '../index/full-text.ts'
import type { MemoryIndex } from '../index/memory-index.ts'

/** Maximum chunks read for each list of a name's terms. */
const mostMatches = 500

/**
 * The chunks that contain the name in the query, by id, with the matching form; empty if the query
 * is no name. As in `og query`, these come first.
 */
export function namedChunks(
  index: MemoryIndex,
  query: string,
  filter: RecallFilter,
): Map<number, NameForm> {
  const name = exactName(query)
  if (name === null) return new Map()
  const bounds = { limit: mostMatches, filter }
  const ids = nameTerms(name).flatMap((terms) => matchesOfAll(index, terms, bounds))
  const find = nameFinder(name)
  const formOf = ({ heading, tags, text }: MemoryChunk) =>
    find([heading, ...tags, text].join('\n'))?.form ?? null
  return new Map(
    [...rowsById(index, [...new Set(ids)])].flatMap(([id, row]) => {
      const form = formOf(row)
      return form === null ? [] : [[id, form] as const]
    }),
  )
}

/** Sorts hits with the name first, better forms before others, and keeps the order otherwise. */
export function namedFirst<T extends { named: NameForm | null }>(hits: readonly T[]): T[] {
  const tier = ({ named }: T) => (named === null ? nameForms.length : nameForms.indexOf(named))
  return hits.toSorted((a, b) => tier(a) - tier(b))
}
