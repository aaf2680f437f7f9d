import { parseArgs } from 'node:util'
import { checkChoice } from '../operation/field.ts'
import { OgError } from '../platform/error.ts'
import { didYouMean } from '../platform/text/nearest.ts'
import { shellWord } from '../platform/text/shell-word.ts'
import {
  effectiveOptions,
  usageOf,
  type Command,
  type Option,
  type Positional,
  type ParsedValues,
} from './command.ts'

export const helpFlags: readonly string[] = ['--help', '-h']

/**
 * Parses the arguments after a command's name into values by positional and option name.
 *
 * Node's `parseArgs` is used instead of cac, which turns `-v 1.10` into 1.1, `-l 007` into 7 and
 * `--yes 007` into the word 7, and drops the word in `--json true` and the lone `-` in `og query
 * -`. cac has no setting for this. `strict` is off because its messages contain no suggestion, so
 * this function validates instead.
 *
 * @throws OgError (2) for arguments that the command does not accept
 */
export function parseArguments(command: Command, argv: readonly string[]): ParsedValues {
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(command.options).map(([name, { type, short }]) => [
        name,
        {
          type: type === 'switch' ? ('boolean' as const) : ('string' as const),
          ...(short === undefined ? {} : { short }),
        },
      ]),
    ),
  })
  const tokensOf = new Map<string, Token[]>()
  const words: string[] = []
  const takesNegative = Object.values(command.positionals).some(({ negative }) => negative)
  for (const [i, token] of tokens.entries()) {
    const isNumber = takesNegative && token.kind === 'option' && /^-\d+$/.test(argv[token.index]!)
    // parseArgs splits `-12` into the options 1 and 2, both with the same index.
    if (isNumber && tokens[i - 1]?.index !== token.index) words.push(argv[token.index]!)
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option' || isNumber) continue
    tokensOf.set(token.name, [...(tokensOf.get(token.name) ?? []), token])
  }
  for (const [name, [token]] of tokensOf) checkKnown(command, name, token!)
  return { ...optionValues(command, tokensOf), ...positionalValues(command, words) }
}

function seeHelp(command: Command): string {
  return `see "og ${command.name} --help"`
}

type Token = { name: string; rawName: string; value?: string; inlineValue?: boolean }

function checkKnown(command: Command, name: string, token: Token): void {
  if (Object.hasOwn(command.options, name)) return
  const names = [...effectiveOptions(command).map((option) => `--${option}`), '--help']
  const near = token.rawName.startsWith('--') ? nearOptions(token.rawName, names) : ''
  const takesWords = Object.keys(command.positionals).length > 0
  const asWord =
    `; a word that begins with "-" goes after "--": ` +
    `og ${command.name} -- ${shellWord(token.rawName)}`
  throw usage(`Unknown option "${token.rawName}" of "og ${command.name}"`, {
    hint: near || `${seeHelp(command)}${takesWords ? asWord : ''}`,
  })
}

/**
 * Suggests options with few edits, or an option that ends in the typed word, such as `--docs-path`.
 */
function nearOptions(option: string, names: readonly string[]): string {
  const near = didYouMean(option, names)
  const longer = names.find((name) => name.endsWith(option.slice(1)))
  const suggestion = longer ?? names.find((name) => otherOptions[name]?.includes(option))
  return near || suggestion === undefined ? near : `did you mean "${suggestion}"?`
}

const otherOptions: Readonly<Record<string, readonly string[]>> = {
  '--top-k': ['--limit', '--count', '--num', '--n', '--max-results'],
  '--source': ['--url', '--repo', '--folder'],
  '--yes': ['--force'],
}

function optionValues(command: Command, tokensOf: ReadonlyMap<string, Token[]>): ParsedValues {
  const entries = Object.entries(command.options).map(([name, option]) => {
    const tokens = tokensOf.get(name) ?? []
    if (option.type === 'switch') return [name, switchValue(command, tokens)]
    const values = tokens.map((token) => valueOf(command, token))
    if (option.type === 'texts') return [name, values]
    const last = values.at(-1)
    if (last === undefined) return [name, missingValue(command, name, option)]
    return [name, one(name, option, last)]
  })
  return Object.fromEntries(entries)
}

function switchValue(command: Command, tokens: Token[]): boolean {
  const odd = tokens.find((token) => token.value !== undefined)
  if (odd) throw usage(`Option "${odd.rawName}" takes no value`, { hint: seeHelp(command) })
  return tokens.length > 0
}

/**
 * Returns the value of an option. Rejects a separate value that looks like an option, because the
 * real value is probably missing; `-k=5` is always accepted.
 */
function valueOf(command: Command, { name, rawName, value, inlineValue }: Token): string {
  if (value === undefined) {
    throw usage(`Option "${rawName}" needs a value`, { hint: seeHelp(command) })
  }
  if (inlineValue) return rawName.startsWith('--') ? value : value.replace(/^=/, '')
  const option = command.options[name]
  const isNumber = option?.type === 'text' && option.negative === true && /^-\d+$/.test(value)
  if (/^-./.test(value) && !isNumber) {
    throw usage(`Option "${rawName}" needs a value, but "${value}" follows`, {
      hint: `if that is the value, write "${rawName}=${value}"`,
    })
  }
  return value
}

function missingValue(command: Command, name: string, option: Option): number | null {
  if (option.type === 'whole') return option.default ?? null
  if (option.type === 'text' && option.required) {
    throw usage(`Missing option --${name} of "og ${command.name}"`, { hint: seeHelp(command) })
  }
  return null
}

function one(name: string, option: Option, value: string): string | number {
  if (option.type !== 'whole') return value
  const number = /^[0-9]{1,9}$/.test(value) ? Number(value) : -1
  if (number >= option.min && number <= option.max) return number
  const range = `from ${option.min} to ${option.max}`
  throw usage(`Cannot use "${value}" for --${name}: must be a whole number ${range}`)
}

function positionalValues(command: Command, words: readonly string[]): ParsedValues {
  const values: Record<string, string | readonly string[] | null> = {}
  let rest = words
  for (const [name, positional] of Object.entries(command.positionals)) {
    const taken = positional.variadic ? rest : rest.slice(0, 1)
    checkWords(command, taken, { name, positional })
    values[name] = positional.variadic ? taken : (taken[0] ?? null)
    rest = rest.slice(taken.length)
  }
  if (rest.length > 0) {
    throw usage(`Unexpected "${rest[0]}" after "og ${command.name}"`, {
      hint: command.hintForWord?.(rest[0]!) ?? seeHelp(command),
    })
  }
  return values
}

function checkWords(
  command: Command,
  words: readonly string[],
  { name, positional }: { name: string; positional: Positional },
): void {
  if (words.length === 0 && !positional.optional) {
    const isOne = Object.keys(command.positionals).length === 1
    const hint = isOne ? seeHelp(command) : `write ${usageOf(command)}; ${seeHelp(command)}`
    throw usage(`Missing ${name.toUpperCase()} of "og ${command.name}"`, { hint })
  }
  const { choices } = positional
  if (choices) for (const word of words) checkChoice(name, word, choices)
}

function usage(message: string, options: { hint?: string } = {}): OgError {
  return new OgError(message, { ...options, exitCode: 2 })
}

/** A range of lines, 1-based and inclusive. */
export type LineRange = { first: number; last: number }

export function parseLineRange(text: string): LineRange {
  const [, from, dash, to] = /^(\d{1,9})(-?)(\d{0,9})$/.exec(text) ?? []
  const first = Number(from)
  const last = dash === '' ? first : to === '' ? Infinity : Number(to)
  if (from !== undefined && first >= 1 && last >= first) return { first, last }
  throw new OgError(`Cannot use "${text}" for --lines: must be A-B, with 1 <= A <= B`)
}

/** Returns the lines with their line endings, or null if the text has no line `first`. */
export function linesInRange(text: string, { first, last }: LineRange): string | null {
  const start = offsetOfLine(text, first)
  if (start === null || (start === text.length && start > 0)) return null
  return text.slice(start, (last === Infinity ? null : offsetOfLine(text, last + 1)) ?? undefined)
}

function offsetOfLine(text: string, line: number): number | null {
  let offset = 0
  for (let at = 1; at < line; at++) {
    const end = text.indexOf('\n', offset)
    if (end < 0) return null
    offset = end + 1
  }
  return offset
}
