import { OgError } from '../../platform/error.ts'
import { isDate } from '../text.ts'
import type { Relation } from './relation.ts'

export type RelationQuery = {
  entity?: string
  subject?: string
  predicate?: string
  object?: string
  /** Selects the relations that were true on this day (YYYY-MM-DD); by default the current ones. */
  asOf?: string
  past?: boolean
}

export function queryRelations(relations: readonly Relation[], query: RelationQuery): Relation[] {
  const { entity, asOf, past } = query
  if (asOf !== undefined && !isDate(asOf)) {
    throw new OgError(`Cannot use date "${asOf}": dates are written YYYY-MM-DD`)
  }
  return relations.filter(
    (relation) =>
      (entity === undefined ||
        isSame(entity, relation.subject) ||
        isSame(entity, relation.object)) &&
      (['subject', 'predicate', 'object'] as const).every(
        (part) => query[part] === undefined || isSame(query[part], relation[part]),
      ) &&
      (past === true || (asOf === undefined ? !relation.isPast : isTrueOn(relation, asOf))),
  )
}

/** A path between two names: a chain of relations, each followed in either direction. */
export type Path = { to: string; hops: Relation[] }

/**
 * Returns all names within `hops` relations, nearest first, each with one shortest path. `to`
 * limits the result to one name.
 */
export function pathsFrom(
  relations: readonly Relation[],
  from: string,
  options: { hops: number; to?: string },
): Path[] {
  const byName = Map.groupBy(
    relations.flatMap((relation) => [
      { name: nameKey(relation.subject), other: relation.object, relation },
      { name: nameKey(relation.object), other: relation.subject, relation },
    ]),
    ({ name }) => name,
  )
  const seen = new Set([nameKey(from)])
  const paths: Path[] = []
  let edge: Path[] = [{ to: from, hops: [] }]
  for (let hop = 0; hop < options.hops && edge.length > 0; hop++) {
    edge = edge.flatMap(({ to, hops }) => {
      const next = (byName.get(nameKey(to)) ?? []).filter(({ other }) => !seen.has(nameKey(other)))
      return next.flatMap(({ other, relation }) => {
        if (seen.has(nameKey(other))) return []
        seen.add(nameKey(other))
        return [{ to: other, hops: [...hops, relation] }]
      })
    })
    paths.push(...edge)
  }
  const { to } = options
  return to === undefined ? paths : paths.filter((path) => isSame(to, path.to))
}

/**
 * True if a relation was true on a day. It starts at `since`, or at the day of recording, and ends
 * on the day before `until`.
 */
function isTrueOn({ since, date, until, isPast }: Relation, day: string): boolean {
  const begin = since ?? date
  if (isPast && until === null) return false
  return (begin === null || begin <= day) && (until === null || day < until)
}

function isSame(a: string, b: string): boolean {
  return nameKey(a) === nameKey(b)
}

function nameKey(name: string): string {
  return name.trim().toLowerCase()
}
