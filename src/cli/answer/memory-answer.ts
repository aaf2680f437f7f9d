import type { Context } from '../context.ts'
import type { Answer } from '../../operation/operation.ts'
import { jsonText } from '../../platform/json.ts'
import { printNotes } from './notes.ts'

/**
 * Joins the words of CONTENT with spaces. A single `-` reads stdin without its final newline. Null
 * if there are no words.
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
  const shown = typeof render === 'string' ? render : render(outcome)
  if (typeof shown === 'object') await printJson(context, shown)
  else await terminal.write(shown)
}
