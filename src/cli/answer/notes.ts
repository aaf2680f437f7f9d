import { noteSentence, type Note, type Answer } from '../../operation/note.ts'
import type { OgError } from '../../platform/error.ts'
import type { Terminal } from '../terminal.ts'
import type { Context } from '../context.ts'
import { jsonText } from '../../platform/json.ts'

const warnings: ReadonlySet<Note['kind']> = new Set([
  'not-indexed',
  'damaged',
  'not-asked',
  'degraded',
  'unused-field',
  'replaced',
  'single-page',
])

/** Prints an error and its hint; the command continues. */
export function noteError(
  terminal: Pick<Terminal, 'note'>,
  { message, hint }: OgError,
  subject = '',
): void {
  terminal.note('error', subject === '' ? message : `${subject}: ${message}`)
  if (hint) terminal.note('hint', hint)
}

/**
 * Prints notes to stderr, each sentence once. Skips notes about a weak answer or a missing name,
 * because these are printed above the hits.
 */
export function printNotes(terminal: Pick<Terminal, 'note'>, notes: readonly Note[]): void {
  const shown = notes.filter(({ kind }) => kind !== 'weak' && kind !== 'lacking-name')
  for (const [sentence, note] of new Map(shown.map((note) => [noteSentence(note), note]))) {
    terminal.note(warnings.has(note.kind) ? 'warning' : 'plain', sentence)
  }
}

/**
 * Joins the words of CONTENT with spaces. A single `-` reads stdin without its final newline.
 * Returns null if there are no words.
 */
export async function readContentArgument(
  { terminal }: Context,
  words: readonly string[],
): Promise<string | null> {
  if (words.length === 0) return null
  if (words.length > 1 || words[0] !== '-') return words.join(' ')
  return (await terminal.input()).replace(/\r?\n$/, '')
}

export async function printJson({ terminal }: Context, result: unknown): Promise<void> {
  await terminal.write(jsonText(result))
}

export async function printOutcome<V>(
  context: Context,
  outcome: Answer<V>,
  render: string | ((outcome: Answer<V>) => string | object),
): Promise<void> {
  const { terminal } = context
  printNotes(terminal, outcome.notes)
  const content = typeof render === 'string' ? render : render(outcome)
  if (typeof content === 'object') await printJson(context, content)
  else await terminal.write(content)
}
