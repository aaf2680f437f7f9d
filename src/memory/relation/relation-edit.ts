import { OgError } from '../../platform/error.ts'
import { parseRelations } from './relation.ts'
import { renderTriple } from './triple.ts'

export const formatReminder =
  'Required format for each line: - [Subject] --predicate--> [Object] (YYYY-MM-DD) — ' +
  '"optional note"\n' +
  'Example: - [Alice] --leads--> [Auth Team] (2026-03-20) — "Sprint planning"'

/**
 * Checks the text that an edit puts into RELATIONS.md, and the resulting lines, since a valid text
 * inside another line may be invalid.
 * @throws OgError with upstream's message
 */
export function checkRelationEdit(content: string, resulting: string): void {
  refuse(content)
  refuse(resulting)
}

/** The relations that an edit left and deleted, under upstream's names. */
export type RelationSync = { upserted: number; deleted: number; total_in_file: number }

export function relationSync(before: string, after: string): RelationSync {
  const ids = (text: string) => live(text).map(({ id }) => id)
  const now = new Set(ids(after))
  const gone = new Set(ids(before)).difference(now)
  return { upserted: now.size, deleted: gone.size, total_in_file: ids(after).length }
}

/** `[S] --p--> [O]` for each relation in deleted lines. */
export function deletedRelations(lines: string): string[] {
  return live(lines).map(renderTriple)
}

function live(text: string) {
  return parseRelations(text).filter(({ isPast }) => !isPast)
}

function refuse(text: string): void {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const invalid = lines.filter(
    (line) => line !== '' && !/^(?:#|<!--)/.test(line) && parseRelations(line).length === 0,
  )
  if (invalid.length === 0) return
  const shown = invalid.map((line) => `'${line}'`).join(', ')
  throw new OgError(
    `Replacement contains ${invalid.length} invalid line(s): [${shown}]\n${formatReminder}`,
  )
}
