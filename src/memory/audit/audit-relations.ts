import type { Finding } from './audit.ts'
import {
  parseRelations,
  type Relation,
  renderRelation,
  renderTriple,
  type Triple,
} from '../relation/relation.ts'
import { linesWithEnds } from '../text.ts'

/**
 * Predicates that allow one object per subject at a time. A predicate with a superseded relation in
 * the file is also treated as exclusive.
 */
const single = new Set(
  `lives in|works at|works for|is married to|was born in|was born on|is located in|is based in
  |reports to|is led by|is owned by|is owner of|has role|is called|prefers|uses by default`
    .split('|')
    .map((predicate) => predicate.trim()),
)

/**
 * Finds contradictory relations: two objects of an exclusive predicate, or a predicate and its
 * negation. The fix marks the older relation as past.
 */
export function findContradictions(text: string): Finding[] {
  const all = parseRelations(text)
  const exclusive = exclusivePredicates(all)
  const live = all.filter(({ isPast, until }) => !isPast && until === null)
  const bySubject = Map.groupBy(live, ({ subject }) => key(subject))
  const pairs = [...bySubject.values()].flatMap((relations) =>
    relations.flatMap((newer, i) =>
      relations
        .slice(0, i)
        .filter((older) => isAgainst(older, newer, exclusive))
        .map((older) => [older, newer].sort(byDate) as [Relation, Relation]),
    ),
  )
  return pairs.map(([older, newer]) => finding(text, older, newer))
}

export function contradictedBy(triple: Triple, all: readonly Relation[]): Relation[] {
  const exclusive = exclusivePredicates(all)
  return all.filter(
    (other) =>
      !other.isPast &&
      other.until === null &&
      key(other.subject) === key(triple.subject) &&
      isAgainst(other, triple, exclusive),
  )
}

function exclusivePredicates(all: readonly Relation[]): Set<string> {
  const superseded = all.filter(({ isPast }) => isPast).map(({ predicate }) => key(predicate))
  return new Set([...single, ...superseded])
}

function isAgainst(a: Triple, b: Triple, exclusive: Set<string>): boolean {
  const [one, other] = [key(a.predicate), key(b.predicate)]
  if (one === other) return key(a.object) !== key(b.object) && exclusive.has(one)
  return key(a.object) === key(b.object) && isDenial(one, other)
}

/**
 * True if one predicate negates the other: `likes` and `does not like`, `is` and `is not`, `likes`
 * and `dislikes`.
 */
function isDenial(a: string, b: string): boolean {
  const plain = (predicate: string) =>
    predicate
      .replace(/\b(?:does|do|did) not (\w+)/, '$1')
      .replace(/\b(is|was|has|can|will) not\b/, '$1')
      .replace(/\b(?:never|no longer|no) /, '')
      .replace(/\bdis(?=\w{3})/, '')
      .replace(/(?<=\w{3})s\b/, '')
      .trim()
  return a !== b && plain(a) === plain(b) && isDenied(a) !== isDenied(b)
}

function isDenied(predicate: string): boolean {
  return /\b(?:not|never|no longer)\b|\bdis\w{3}/.test(predicate)
}

function byDate(a: Relation, b: Relation): number {
  const [one, other] = [a.since ?? a.date ?? '', b.since ?? b.date ?? '']
  return one === other ? a.line - b.line : one < other ? -1 : 1
}

function finding(text: string, older: Relation, newer: Relation): Finding {
  const span = ({ firstLine, line }: Relation) => ({
    file: 'RELATIONS.md',
    start_line: firstLine,
    end_line: line,
    entry_id: null,
  })
  const until = newer.since ?? newer.date
  const expect = linesWithEnds(text)
    .slice(older.firstLine - 1, older.line)
    .join('')
  return {
    kind: 'contradiction',
    ...span(older),
    message: `${renderTriple(older)} contradicts ${renderTriple(newer)}`,
    other: span(newer),
    fix: {
      file: 'RELATIONS.md',
      start_line: older.firstLine,
      end_line: older.line,
      expect,
      content: renderRelation({ ...older, isPast: true, until }),
    },
  }
}

function key(name: string): string {
  return name.trim().toLowerCase().replace(/\s+/g, ' ')
}
