import { effectiveOptions } from './command.ts'
import type { Command, Option, Positional, SuggestionKind } from './command.ts'
import { colourModes, globalOptions } from './globals.ts'

/**
 * The candidates for completion at the cursor. `words` are already filtered. A `suggest` is
 * resolved by a caller that can read the store; its candidates get the prefix `lead`
 * (`--version=`).
 */
export type Completion =
  | { words: readonly CompletionWord[] }
  | { suggest: SuggestionKind; library: string | null; typed: string; lead: string }

export type CompletionWord = readonly [word: string, doc: string]

/** `words` are the words after `og` up to the cursor; the last one may be incomplete. */
export function completionAt(commands: readonly Command[], words: readonly string[]): Completion {
  const visible = commands.filter((command) => !command.hidden)
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const command = visible.find(({ name, aliases }) => {
    const [first, second] = name.split(' ')
    if (second !== undefined) return before[0] === first && before[1] === second
    return before[0] === first || aliases.includes(before[0] ?? '')
  })
  const members = filterByPrefix(typed, commandWords(visible, before))
  // `og sources` is a command and also the first word of `og sources trust`.
  if (command === undefined || members.length > 0) return { words: members }
  return completeArguments(command, before.slice(command.name.split(' ').length), typed)
}

function commandWords(commands: readonly Command[], before: readonly string[]): CompletionWord[] {
  const [group] = before
  if (group === undefined) {
    const words = commands.map(({ name, summary }): CompletionWord => {
      const [first, second] = name.split(' ')
      return [first!, second ? `${first} …` : summary]
    })
    return [...words, ['--help', 'print help'], ['--version', 'print the version'], ...everywhere]
  }
  if (before.length > 1) return []
  return commands
    .filter(({ name }) => name.startsWith(`${group} `))
    .map(({ name, summary }) => [name.slice(group.length + 1), summary])
}

function completeArguments(command: Command, before: string[], typed: string): Completion {
  const scan = scanArguments(command, before)
  const coloured = /^--color=/.exec(typed)?.[0] ?? ''
  if (!scan.isEnded && (before.at(-1) === '--color' || coloured !== '')) {
    const words = filterByPrefix(
      typed.slice(coloured.length),
      colourModes.map((colour) => [colour, '']),
    )
    return { words: words.map(([word, doc]) => [coloured + word, doc]) }
  }
  const value = (option: Option | Positional | undefined, lead: string): Completion => {
    const rest = typed.slice(lead.length)
    if (option && 'choices' in option && option.choices) {
      const words = filterByPrefix(
        rest,
        option.choices.map((choice) => [choice, '']),
      )
      return { words: words.map(([word, doc]) => [lead + word, doc]) }
    }
    const suggest = option && 'suggest' in option ? option.suggest : undefined
    if (suggest === undefined) return { words: [] }
    return { suggest, library: scan.library, typed: rest, lead }
  }
  if (scan.awaits) return value(scan.awaits, '')
  if (scan.isEnded || !typed.startsWith('-')) return value(positionalAt(command, scan.count), '')
  const [, name] = /^--([^=]+)=/.exec(typed) ?? []
  if (name !== undefined) return value(command.options[name], `--${name}=`)
  return { words: filterByPrefix(typed, optionWords(command)) }
}

type Scan = {
  awaits: Option | null
  count: number
  library: string | null
  /** True after `--`. */
  isEnded: boolean
}

function scanArguments(command: Command, words: readonly string[]): Scan {
  const scan: Scan = { awaits: null, count: 0, library: null, isEnded: false }
  let awaited = ''
  for (const word of words) {
    if (scan.awaits) {
      if (awaited === 'library') scan.library = word
      scan.awaits = null
    } else if (word === '--' && !scan.isEnded) {
      scan.isEnded = true
    } else if (!scan.isEnded && /^-./.test(word)) {
      awaited = optionNamed(command, word)
      const option = command.options[awaited]
      if (word.startsWith('--library=')) scan.library = word.slice('--library='.length)
      else if (option && option.type !== 'switch' && !word.includes('=')) scan.awaits = option
    } else {
      const name = Object.keys(command.positionals)[scan.count]
      if (name === 'library') scan.library = word
      scan.count++
    }
  }
  return scan
}

function optionNamed({ options }: Command, word: string): string {
  if (word.startsWith('--')) return word.slice(2)
  return Object.keys(options).find((name) => options[name]!.short === word.slice(1)) ?? ''
}

function positionalAt({ positionals }: Command, index: number): Positional | undefined {
  const all = Object.values(positionals)
  const last = all.at(-1)
  return all[index] ?? (last?.variadic ? last : undefined)
}

function optionWords(command: Command): CompletionWord[] {
  const own = effectiveOptions(command).map((name): CompletionWord => {
    return [`--${name}`, command.options[name]!.doc]
  })
  return [...own, ['--help', 'print help'], ...everywhere]
}

const everywhere: readonly CompletionWord[] = globalOptions.map(([option, doc]) => [
  option.replace(/ .*/, ''),
  doc,
])

export function filterByPrefix(typed: string, words: readonly CompletionWord[]): CompletionWord[] {
  const start = typed.toLowerCase()
  const seen = new Map(words.map(([word, doc]) => [word, doc]))
  return [...seen].filter(([word]) => word.toLowerCase().startsWith(start))
}
