import type { Command, Option, Positional } from './command.ts'
import { globalOptions } from './globals.ts'

const width = 96

/** `og --help`. */
export function renderOverview(commands: readonly Command[]): string {
  const visible = commands.filter((command) => !command.hidden)
  return [
    'og: search the documentation of libraries, and a memory, on this machine',
    '',
    'Usage: og COMMAND [OPTIONS]',
    '',
    'Commands:',
    columns(overviewRows(visible)),
    '',
    'Options:',
    columns([
      ['-h, --help', 'print help, also after a command'],
      ['--version', 'print the version'],
      ...globalOptions,
    ]),
    '',
    'Start with:',
    '  og add fastapi -s https://github.com/fastapi/fastapi -v 0.115.0 -d docs/en/docs',
    '  og query "how do I declare an optional query parameter" -l fastapi',
    '',
  ].join('\n')
}

/** Groups that are one line of the overview; their own help lists their commands. */
const foldedGroups: Readonly<Record<string, string>> = {
  memory: 'keep and search what people and agents noted; "og memory" lists its commands',
}

function overviewRows(commands: readonly Command[]): (readonly [string, string])[] {
  const rows = new Map<string, string>()
  for (const command of commands) {
    const [group = '', member] = command.name.split(' ')
    const folded = member === undefined ? undefined : foldedGroups[group]
    if (folded === undefined) rows.set(nameOf(command), command.summary)
    else rows.set(`${group} …`, folded)
  }
  return [...rows]
}

/** `og COMMAND --help`. */
export function renderHelp(command: Command): string {
  const positionals = Object.entries(command.positionals)
  const sections = [
    `Usage: ${usageOf(command)}`,
    [sentence(command.summary), ...command.details].map((text) => wrapped(text, '')).join('\n\n'),
    command.aliases.length > 0 && `Aliases: ${command.aliases.join(', ')}`,
    positionals.length > 0 && `Arguments:\n${columns(positionals.map(positionalRow))}`,
    `Options:\n${columns([...optionRows(command), ['-h, --help', 'print this help']])}`,
    command.examples.length > 0 &&
      `Examples:\n${command.examples.map((example) => `  ${example}`).join('\n')}`,
  ]
  return `${sections.filter((section) => section !== false).join('\n\n')}\n`
}

/** Help of a group of commands: `og config`. */
export function renderGroup(group: string, commands: readonly Command[]): string {
  const rows = commands.map((command) => [command.name, command.summary] as const)
  return `Usage: og ${group} COMMAND [OPTIONS]\n\nCommands:\n${columns(rows)}\n`
}

/** `og get URL [OPTIONS]`. */
export function usageOf(command: Command): string {
  const words = Object.entries(command.positionals).map(([name, positional]) => {
    const word = name.toUpperCase() + (positional.variadic ? '…' : '')
    return positional.optional ? `[${word}]` : word
  })
  const options = Object.keys(command.options).length > 0 ? ['[OPTIONS]'] : []
  return ['og', command.name, ...words, ...options].join(' ')
}

/** `-l, --library LIBRARY` and its sentence, for each option. */
export function optionRows(command: Command): (readonly [string, string])[] {
  return Object.entries(command.options).map(([name, option]) => {
    const short = option.short ? `-${option.short}, ` : ''
    const value = option.type === 'switch' ? '' : ` ${option.placeholder}`
    return [`${short}--${name}${value}`, option.doc + optionNotes(option)] as const
  })
}

function optionNotes(option: Option): string {
  if (option.type === 'texts') return ' (repeatable)'
  if (option.type === 'text' && option.required) return ' (required)'
  if (option.type !== 'whole') return ''
  const preset = option.shown ?? option.default
  return preset === undefined ? '' : ` (default: ${preset})`
}

function positionalRow([name, { doc, choices }]: [string, Positional]): readonly [string, string] {
  return [name.toUpperCase(), choices ? `${doc}: ${choices.join(', ')}` : doc]
}

function nameOf(command: Command): string {
  return [command.name, ...command.aliases].join(', ')
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

/** Two columns, the second wrapped and indented. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const left = Math.min(34, Math.max(...rows.map(([name]) => name.length)))
  const indent = ' '.repeat(left + 4)
  return rows
    .map(([name, doc]) => {
      const head = name.length > left ? `  ${name}\n${indent}` : `  ${name.padEnd(left)}  `
      return head + wrapped(doc, indent)
    })
    .join('\n')
}

/** Lines of at most `width` columns; `indent` stands before all but the first. */
function wrapped(text: string, indent: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    const longer = line === '' ? word : `${line} ${word}`
    if (indent.length + longer.length > width && line !== '') lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines.join(`\n${indent}`)
}
