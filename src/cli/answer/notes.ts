import { noteSentence, type Note } from '../../operation/note.ts'
import type { OgError } from '../../platform/error.ts'
import type { Terminal } from '../terminal.ts'

const warnings: ReadonlySet<Note['kind']> = new Set([
  'not-indexed',
  'damaged',
  'not-asked',
  'degraded',
  'unused-field',
  'replaced',
  'single-page',
])

/** Prints an error that does not end the command, and its hint. */
export function noteError(
  terminal: Pick<Terminal, 'note'>,
  { message, hint }: OgError,
  subject = '',
): void {
  terminal.note('error', subject === '' ? message : `${subject}: ${message}`)
  if (hint) terminal.note('hint', hint)
}

/**
 * Prints each note to stderr, except notes about a weak answer or a lacking name, which are printed
 * above the hits.
 */
export function printNotes(terminal: Pick<Terminal, 'note'>, notes: readonly Note[]): void {
  for (const note of notes) {
    if (note.kind === 'weak' || note.kind === 'lacking-name') continue
    terminal.note(warnings.has(note.kind) ? 'warning' : 'plain', noteSentence(note))
  }
}
