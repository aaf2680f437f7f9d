import type { Context } from '../context.ts'
import { jsonText } from '../../platform/json.ts'

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

/** Prints the warning of a write, where it has one. */
export function noteWarning({ terminal }: Context, { warning }: { warning?: string }): void {
  if (warning !== undefined) terminal.note('warning', warning)
}
