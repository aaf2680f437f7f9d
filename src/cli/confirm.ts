import { OgError } from '../platform/error.ts'
import type { Terminal } from './terminal.ts'

export async function confirm(
  terminal: Terminal,
  question: { what: string; yes: boolean },
): Promise<boolean> {
  const { what, yes } = question
  if (yes) return true
  if (!terminal.canAsk) {
    throw new OgError(`Cannot ask whether to ${what}: this is not a terminal`, {
      hint: 'pass --yes',
    })
  }
  if (await terminal.ask(`${what.charAt(0).toUpperCase()}${what.slice(1)}?`)) return true
  terminal.note('plain', 'Nothing was changed.')
  return false
}
