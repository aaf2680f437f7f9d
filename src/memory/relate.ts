import { oneLine } from '../platform/text/trim.ts'
import { existsSync } from 'node:fs'
import { messageOf, OgError } from '../platform/error.ts'
import { contradictedBy } from './audit/audit-relations.ts'
import { appendText, editText, writeFields } from './write/change.ts'
import { checkDate, localTime, mainLineEnd, convertLineEnds } from './text.ts'
import { resolveMemoryFile, readMemoryText } from './write/memory-file.ts'
import {
  parseRelations,
  type Relation,
  type RelationFacts,
  renderRelation,
  relationId,
  normalizeTriple,
  type Triple,
} from './relation/relation.ts'
import { withWriteLock, type Writer } from './write/write-lock.ts'

export type RelateRequest = Triple & {
  supersedes?: boolean
  note?: string
  source_file?: string
  confidence?: number
  /** The first day (YYYY-MM-DD) on which the relation is true, and the first day after it. */
  since?: string
  until?: string
}

export type RelateResult = {
  relation: Triple & { note: string; source_file: string; confidence: number }
  deduplicated?: true
  duplicate_of?: string
  superseded?: Triple[]
  contradicts?: Triple[]
  line: string
  write_id?: string
  warning?: string
}

/**
 * Records a relation in RELATIONS.md. If the relation exists already (ignoring case), updates its
 * note, confidence, source and validity. Marks superseded relations as past.
 */
export async function relate(writer: Writer, request: RelateRequest): Promise<RelateResult> {
  return record(writer, request).catch((error) => {
    throw new OgError(`Failed to record relation: ${messageOf(error)}`, {
      hint: error instanceof OgError ? error.hint : undefined,
    })
  })
}

async function record(writer: Writer, request: RelateRequest): Promise<RelateResult> {
  const { subject, predicate, object, note = '', source_file = file } = request
  const triple = normalizeTriple(request)
  const facts = givenFacts(request)
  const { confidence = 1 } = facts
  const relation = { subject, predicate, object, note, source_file, confidence }
  return editPage(writer, 'relate', (page, now) => {
    const { day } = localTime(now)
    const live = page.relations.filter(({ isPast }) => !isPast)
    const same = live.find(({ id }) => id === relationId(triple))
    const rivals =
      request.supersedes !== true
        ? []
        : live.filter((other) => other !== same && isSameKind(other, triple))
    const superseded = rivals.map(plain)
    const isOver = facts.until != null && facts.until <= day
    const contradicts = isOver
      ? []
      : contradictedBy(triple, page.relations).filter((other) => !rivals.includes(other))
    const merged: RelationFacts = { ...unknownDay(day), ...triple, ...same, ...facts }
    const line = renderRelation(merged)
    const until = facts.since ?? day
    const parts: Part[] = rivals.map((rival) => ({
      relation: rival,
      text: renderRelation({ ...rival, isPast: true, until: rival.until ?? until }),
    }))
    const isNews = same === undefined || renderRelation(same) !== line
    if (same !== undefined && isNews) parts.push({ relation: same, text: line })
    const added = same === undefined ? line : ''
    const result = {
      relation,
      ...(!isNews && { deduplicated: true as const, duplicate_of: same.id }),
      ...(superseded.length > 0 && { superseded }),
      ...(contradicts.length > 0 && { contradicts: contradicts.map(plain) }),
      line: line.split('\n').at(-1)!,
    }
    return { parts, added, result }
  })
}

/**
 * Selects all relations of a subject, of a subject and predicate, or of one triple. Ignores case.
 */
export type RelationChoice = { subject: string; predicate?: string; object?: string }

export type RemoveResult = { removed: Triple[]; write_id?: string; warning?: string }

/**
 * Ends or deletes relations. If `keep` is set, marks them as past from the given day or today.
 * Otherwise deletes their lines and the lines of past relations.
 */
export async function removeRelations(
  writer: Writer,
  choice: RelationChoice,
  options: { keep: boolean; until?: string },
): Promise<RemoveResult> {
  checkDate('until', options.until)
  const op = options.keep ? 'end_relation' : 'delete_relation'
  return editPage(writer, op, (page, now) => {
    const until = options.until ?? localTime(now).day
    const chosen = page.relations.filter(
      (relation) => isChosen(choice, relation) && !(options.keep && relation.isPast),
    )
    if (chosen.length === 0) throw new OgError('There is no such relation')
    const parts = chosen.map((relation) => ({
      relation,
      text: options.keep ? renderRelation({ ...relation, isPast: true, until }) : '',
    }))
    return { parts, added: '', result: { removed: chosen.map(plain) } }
  })
}

const file = 'RELATIONS.md'
type Part = { relation: Relation; text: string }

/** An edit of RELATIONS.md. `added` is appended. */
type PageEdit<Result> = { parts: Part[]; added: string; result: Result }

async function editPage<Result extends object>(
  writer: Writer,
  op: string,
  plan: (page: { text: string; relations: Relation[] }, now: Date) => PageEdit<Result>,
): Promise<Result & { write_id?: string; warning?: string }> {
  return withWriteLock(writer, async (turn) => {
    const place = resolveMemoryFile(writer.workspace, file)
    const planFor = (text: string) => {
      const { parts, added, result } = plan({ text, relations: parseRelations(text) }, turn.now)
      return { parts, tail: tailOf(text, added), result }
    }
    const text = existsSync(place.path) ? await readMemoryText(place) : ''
    const { parts, tail, result } = planFor(text)
    if (parts.length === 0 && tail === '') return { ...result }
    if (parts.length === 0) {
      const change = await appendText(turn, place, { text: tail, op })
      return { ...result, ...writeFields(turn, change) }
    }
    const edited = await editText(turn, place, {
      op,
      plan: (now) => {
        const planned = planFor(now)
        const after = replaceParts(now, planned.parts) + planned.tail
        return { after, result: planned.result }
      },
    })
    const { change } = edited
    return { ...edited.plan.result, ...(change && writeFields(turn, change)) }
  })
}

/** Formats added lines so that they can be appended to the file; empty if there are none. */
function tailOf(text: string, added: string): string {
  if (added === '') return ''
  const end = mainLineEnd(text)
  const start = text === '' || text.endsWith('\n') ? '' : end
  return `${start}${convertLineEnds(`${added}\n`, end)}`
}

function replaceParts(text: string, parts: Part[]): string {
  const end = mainLineEnd(text)
  const lines = text.split('\n')
  for (const { relation, text: put } of parts.sort((a, b) => b.relation.line - a.relation.line)) {
    const { firstLine, line } = relation
    const own = put === '' ? [] : [convertLineEnds(put, end) + (end === '\r\n' ? '\r' : '')]
    lines.splice(firstLine - 1, line - firstLine + 1, ...own)
  }
  return lines.join('\n')
}

function givenFacts(request: RelateRequest): Partial<RelationFacts> {
  const { note, confidence, source_file: source, since, until } = request
  checkDate('since', since)
  checkDate('until', until)
  if (confidence !== undefined && Number.isNaN(confidence)) {
    throw new OgError(`'confidence' is not a number.`)
  }
  const words = oneLine((note ?? '').toWellFormed())
  return {
    ...(words !== '' && { note: words }),
    ...(confidence !== undefined && { confidence: Math.min(1, Math.max(0, confidence)) }),
    ...(source !== undefined && source !== file && source.trim() !== '' && { source }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  }
}

function unknownDay(day: string) {
  const nothing = { note: '', confidence: 1, source: null, since: null, until: null }
  return { ...nothing, date: day, isPast: false }
}

function plain({ subject, predicate, object }: Triple): Triple {
  return { subject, predicate, object }
}

function isSameKind(a: Triple, b: Triple): boolean {
  return same(a.subject, b.subject) && same(a.predicate, b.predicate)
}

function isChosen({ subject, predicate, object }: RelationChoice, relation: Triple): boolean {
  return (
    same(subject, relation.subject) &&
    (predicate === undefined || same(predicate.replace(/[\s-]+/g, ' '), relation.predicate)) &&
    (object === undefined || same(object, relation.object))
  )
}

function same(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase()
}
