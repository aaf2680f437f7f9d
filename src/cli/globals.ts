import { OgError } from '../platform/error.ts'
import type { CompletionWord } from './commands/system/complete.ts'
import type { TerminalOptions } from './terminal.ts'

export const globalOptions: readonly CompletionWord[] = [
  ['--quiet', 'print only warnings and errors on stderr'],
  ['--no-input', 'never ask; fail if og would have to ask'],
  ['--color WHEN', 'colour messages: auto, always or never'],
]

export const colourModes = ['auto', 'always', 'never'] as const

export function splitGlobalOptions(argv: readonly string[]): {
  rest: string[]
  wishes: TerminalOptions
} {
  const end = argv.indexOf('--')
  const typed = argv.slice(0, end < 0 ? undefined : end)
  const wishes: TerminalOptions = {}
  const rest: string[] = []
  for (let i = 0; i < typed.length; i++) {
    const word = typed[i]!
    if (word === '--quiet') wishes.quiet = true
    else if (word === '--no-input') wishes.noInput = true
    else if (word === '--color') wishes.colour = colourOf(typed[++i])
    else if (word.startsWith('--color=')) wishes.colour = colourOf(word.slice('--color='.length))
    else rest.push(word)
  }
  return { rest: [...rest, ...(end < 0 ? [] : argv.slice(end))], wishes }
}

function colourOf(typed: string | undefined): (typeof colourModes)[number] {
  const colour = colourModes.find((colour) => colour === typed)
  if (colour !== undefined) return colour
  const what = typed === undefined ? 'Option "--color" needs a value' : `Unknown colour "${typed}"`
  throw new OgError(what, { hint: `it is one of ${colourModes.join(', ')}` })
}
