import { readFileSync } from 'node:fs'
import helpFile from '../../docs/help.txt' with { type: 'file' }
import { effectiveOptions, usageOf, type Command, type Option, type Positional } from './command.ts'
import { wrapText } from './screen/layout.ts'
import { OgError } from '../platform/error.ts'
import type { TerminalOptions } from './terminal.ts'

const defaultWidth = 96

export function helpWidth(columns: number | null): number {
  return columns === null ? defaultWidth : Math.min(200, Math.max(60, columns))
}

const everyday = [
  'add',
  'query',
  'get',
  'init',
  'update',
  'list',
  'open',
  'memory …',
  'install-mcp',
  'doctor',
]

const firstSteps = [
  ['og add fastapi', 'index its documentation; "og sources" lists the names'],
  ['og query "how do I run work after the response is sent"', ''],
  ['og install-mcp --claude-code', 'connect a coding agent; --help lists the others'],
] as const

/**
 * Renders the output of `og` and `og --help`: the first steps and the common commands, in 30 rows.
 */
export function renderOverview(commands: readonly Command[], width = defaultWidth): string {
  const rows = new Map(overviewRows(commands).map((row) => [row[0].split(',')[0], row]))
  const everydayRows = everyday.flatMap((name) => {
    const row = rows.get(name)
    return row === undefined ? [] : [[name, row[1]] as const]
  })
  return [
    ...opening(width),
    'Start with:',
    ...firstSteps.map(([step, about]) =>
      wrapText(`  ${about === '' ? step : `${step.padEnd(30)}${about}`}`, width, '    '),
    ),
    '',
    'Commands:',
    columns(everydayRows, width),
    '',
    ...options(width),
    '',
    wrapText('"og help --all" lists every command, "og COMMAND --help" explains one.', width),
    '',
  ].join('\n')
}

/**
 * Section titles of `og help --all` with the first words of their commands. All other commands
 * follow.
 */
const sections: readonly (readonly [title: string, words: readonly string[]])[] = [
  ['Ask', ['query', 'get', 'api', 'context', 'diff']],
  [
    'Libraries',
    ['add', 'init', 'update', 'list', 'remove', 'rollback', 'watch', 'jobs', 'sources'],
  ],
  ['Memory', ['memory']],
  ['Agents and people', ['install-mcp', 'mcp', 'serve', 'open', 'keys']],
  ['Packs and teams', ['pack', 'copy', 'registry', 'ci']],
  [
    'Compatibility with openground',
    ['extract-sitemap', 'extract-git', 'embed', 'list-raw-libraries', 'import-raw'],
  ],
]

export function renderAll(commands: readonly Command[], width = defaultWidth): string {
  const rows = overviewRows(commands)
  const wordOf = ([name]: readonly [string, string]) => name.split(/[ ,]/)[0]!
  const everyWord = new Set(sections.flatMap(([, words]) => words))
  const groups = [
    ...sections.map(([title, words]) => ({
      title,
      rows: words.flatMap((word) => rows.filter((row) => wordOf(row) === word)),
    })),
    { title: 'Maintenance', rows: rows.filter((row) => !everyWord.has(wordOf(row))) },
  ]
  const lines = groups.flatMap((group) => [`${group.title}:`, columns(group.rows, width), ''])
  return [...opening(width), ...lines, ...options(width), ''].join('\n')
}

function opening(width: number): string[] {
  const about = 'og: search the documentation of libraries, and a memory, on this machine'
  return [wrapText(about, width), '', 'Usage: og COMMAND [OPTIONS]', '']
}

function options(width: number): string[] {
  const rows = [
    ['-h, --help', 'print help, also after a command'],
    ['--version', 'print the version'],
    ...globalOptions,
  ] as const
  return ['Options:', columns(rows, width)]
}

/** Groups with one line in the overview. Their own help lists their commands. */
const foldedGroups: Readonly<Record<string, string>> = {
  memory: 'store and search notes of people and agents; "og memory" lists its commands',
}

function overviewRows(all: readonly Command[]): (readonly [string, string])[] {
  const commands = all.filter((command) => !command.hidden)
  const rows = new Map<string, string>()
  for (const command of commands) {
    const [group = '', member] = command.name.split(' ')
    const folded = member === undefined ? undefined : foldedGroups[group]
    if (folded === undefined) rows.set(nameOf(command), command.summary)
    else rows.set(`${group} …`, folded)
  }
  return [...rows]
}

type HelpOptions = { width?: number; isWhole?: boolean }

export function renderHelp(
  command: Command,
  { width = defaultWidth, isWhole = false }: HelpOptions = {},
): string {
  const positionals = Object.entries(command.positionals)
  const brief = isWhole ? null : command.brief
  const section = brief === null ? command.name : `${command.name}, brief`
  const paragraphs = [sentence(command.summary), ...helpText(section).paragraphs]
  const commands = helpText(command.name).examples
  const options = [...optionRows(command, brief), ['-h, --help', 'print this help'] as const]
  const sections = [
    wrapText(`Usage: ${usageOf(command)}`, width, '  '),
    paragraphs.map((text) => wrapText(text, width)).join('\n\n'),
    command.aliases.length > 0 && `Aliases: ${command.aliases.join(', ')}`,
    positionals.length > 0 && `Arguments:\n${columns(positionals.map(positionalRow), width)}`,
    `Options:\n${columns(options, width)}`,
    commands.length > 0 && `Examples:\n${examples(commands, width)}`,
    brief !== null && wrapText(`"og ${command.name} --help --all" explains all options.`, width),
  ]
  return `${sections.filter((section) => section !== false).join('\n\n')}\n`
}

/** Returns a section of docs/help.txt, in which examples are indented. */
export function helpText(section: string): { paragraphs: string[]; examples: string[] } {
  const text = `\n${readFileSync(helpFile, 'utf8')}`
  const [, body = ''] = text.split(`\n## ${section}\n`, 2)
  const lines = body.split('\n## ', 1)[0]!.split('\n')
  const isExample = (line: string) => line.startsWith('    ')
  const prose = lines.filter((line) => !isExample(line)).join('\n')
  const paragraphs = prose.split(/\n{2,}/).map((one) => one.trim().replaceAll('\n', ' '))
  return {
    paragraphs: paragraphs.filter((one) => one !== ''),
    examples: lines.filter(isExample).map((line) => line.trim()),
  }
}

/** The commands that `og GROUP` lists for a long group. `og GROUP --all` lists all commands. */
const everydayMembers: Readonly<Record<string, readonly string[]>> = {
  memory: ['write', 'search', 'read', 'list', 'history', 'undo', 'inbox', 'backup'],
}

export function renderGroup(
  group: string,
  commands: readonly Command[],
  { width = defaultWidth, isWhole = false }: HelpOptions = {},
): string {
  const everyday = isWhole ? undefined : everydayMembers[group]
  const visible =
    everyday?.map((member) => commands.find(({ name }) => name === `${group} ${member}`)!) ??
    commands
  const rows = visible.map((command) => [command.name, command.summary] as const)
  const more = `"og ${group} --all" lists every command, "og ${group} COMMAND --help" explains one.`
  const end = everyday === undefined ? '' : `\n${wrapText(more, width)}\n`
  return `Usage: og ${group} COMMAND [OPTIONS]\n\nCommands:\n${columns(rows, width)}\n${end}`
}

export function optionRows(
  command: Command,
  brief: readonly string[] | null = null,
): (readonly [string, string])[] {
  const names = brief ?? effectiveOptions(command)
  return names.map((name) => {
    const option = command.options[name]!
    const short = option.short ? `-${option.short}, ` : ''
    const value = option.type === 'switch' ? '' : ` ${option.placeholder}`
    return [`${short}--${name}${value}`, option.doc + optionNotes(option)] as const
  })
}

function optionNotes(option: Option): string {
  if (option.type === 'texts') return ' (repeatable)'
  if (option.type === 'text' && option.required) return ' (required)'
  if (option.type !== 'whole') return ''
  const preset = option.defaultText ?? option.default
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

function columns(rows: readonly (readonly [string, string])[], width: number): string {
  const widest = Math.max(...rows.map(([name]) => name.length))
  const left = Math.min(34, Math.floor(0.36 * width), widest)
  const indent = ' '.repeat(left + 4)
  return rows
    .map(([name, doc]) => {
      const isLong = name.length > left
      const head = isLong ? `${wrapText(`  ${name}`, width, '    ')}\n` : ''
      return head + wrapText(`  ${(isLong ? '' : name).padEnd(left)}  ${doc}`, width, indent)
    })
    .join('\n')
}

function examples(commands: readonly string[], width: number): string {
  return commands
    .map((command) => {
      const lines = ['  ']
      for (const word of command.match(/ *(?:"[^"]*"|'[^']*'|[^ "'])+/g) ?? []) {
        const last = lines.at(-1)!
        const fits = last.length + word.length + 2 <= width
        if (last.trim() === '' || fits) lines[lines.length - 1] += word
        else lines.push(`     ${word}`)
      }
      return lines.join(' \\\n')
    })
    .join('\n')
}

export const globalOptions: readonly (readonly [word: string, doc: string])[] = [
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
  const options = argv.slice(0, end < 0 ? undefined : end)
  const wishes: TerminalOptions = {}
  const rest: string[] = []
  for (let i = 0; i < options.length; i++) {
    const word = options[i]!
    if (word === '--quiet') wishes.quiet = true
    else if (word === '--no-input') wishes.noInput = true
    else if (word === '--color') wishes.colour = colourOf(options[++i])
    else if (word.startsWith('--color=')) wishes.colour = colourOf(word.slice('--color='.length))
    else rest.push(word)
  }
  return { rest: [...rest, ...(end < 0 ? [] : argv.slice(end))], wishes }
}

function colourOf(text: string | undefined): (typeof colourModes)[number] {
  const colour = colourModes.find((colour) => colour === text)
  if (colour !== undefined) return colour
  const what = text === undefined ? 'Option "--color" needs a value' : `Unknown colour "${text}"`
  throw new OgError(what, { hint: `it is one of ${colourModes.join(', ')}` })
}
