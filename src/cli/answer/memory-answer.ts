import type { Context } from '../context.ts'
import type { Answer } from '../../operation/operation.ts'
import { jsonText } from '../../platform/json.ts'
import { printNotes } from './notes.ts'

/**
 * The words typed, joined by blanks; `-` alone is all of stdin without its last line end; null
 * where nothing was typed.
 */
export async function typedContent(
  { terminal }: Context,
  words: readonly string[],
): Promise<string | null> {
  if (words.length === 0) return null
  if (words.length > 1 || words[0] !== '-') return words.join(' ')
  return (await terminal.input()).replace(/\r?\n$/, '')
}

/** A result as `--json` prints it. */
export async function writeJson({ terminal }: Context, result: unknown): Promise<void> {
  await terminal.write(jsonText(result))
}

/** Prints notes on stderr and what `render` returns on stdout: a text, or an object as JSON. */
export async function printOutcome<V>(
  context: Context,
  outcome: Answer<V>,
  render: (outcome: Answer<V>) => string | object,
): Promise<void> {
  const { terminal } = context
  printNotes(terminal, outcome.notes)
  const shown = render(outcome)
  if (typeof shown === 'object') await writeJson(context, shown)
  else await terminal.write(shown)
}
