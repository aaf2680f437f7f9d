import bash from '../../../../data/completion/bash.txt' with { type: 'text' }
import fish from '../../../../data/completion/fish.txt' with { type: 'text' }
import zsh from '../../../../data/completion/zsh.txt' with { type: 'text' }
import { loadConfig } from '../../../config/load.ts'
import { settings } from '../../../config/setting.ts'
import {
  command,
  type Command,
  effectiveOptions,
  type Option,
  type Positional,
  type SuggestionKind,
} from '../../command.ts'
import type { Context } from '../../context.ts'
import { colourModes, globalOptions } from '../../help.ts'

/**
 * The command that completion scripts call. It prints one line per candidate: the word, a tab and
 * its description. The scripts ignore stderr. `load` loads the commands that the given words may
 * name.
 */
export function completeCommand(
  load: (words: readonly string[]) => Promise<readonly Command[]>,
): Command {
  return command({
    name: '__complete',
    summary: 'print the words that may stand at the cursor',
    hidden: true,
    positionals: { words: { doc: 'the words up to the cursor', variadic: true, optional: true } },
    async run(context, { words }) {
      const completion = completionAt(await load(words.slice(0, -1)), words)
      const suggested =
        'words' in completion ? completion.words : await candidatesOf(context, completion)
      await context.terminal.write(suggested.map(([word, doc]) => `${word}\t${doc}\n`).join(''))
      return 0
    },
  })
}

type ValueCompletion = Extract<Completion, { lead: string }>

async function candidatesOf(
  context: Context,
  { suggest, library, word: typed, lead }: ValueCompletion,
) {
  const words = filterByPrefix(typed, await everyWord(context, { suggest, library }))
  return words.map(([word, doc]): CompletionWord => [lead + word, doc])
}

async function everyWord(
  context: Context,
  { suggest, library }: Pick<ValueCompletion, 'suggest' | 'library'>,
): Promise<CompletionWord[]> {
  const { env, openOg } = context
  if (suggest === 'setting') return settings.map(({ key, doc }) => [key, doc])
  if (suggest === 'model') {
    const { models } = await import('../../../embed/models.ts')
    return models.map(({ id }) => [id, ''])
  }
  if (suggest === 'source') return (await knownSources(context)).map((name) => [name, ''])
  if (suggest === 'backup') return backupNames(context)
  await using og = await openOg(await loadConfig(env))
  const versions = await og.list()
  if (suggest === 'library') return versions.map((it) => [it.library, ''])
  if (suggest === 'library@version') {
    return versions.map((it) => [`${it.library}@${it.version}`, ''])
  }
  const ofLibrary = library?.toLowerCase()
  return versions
    .filter((it) => ofLibrary === undefined || it.library.toLowerCase() === ofLibrary)
    .map((it) => [it.version, ofLibrary === undefined ? it.library : ''])
}

async function knownSources({ env }: Context): Promise<string[]> {
  const { sourcesPlaces } = await import('../../../config/paths.ts')
  const { sourceNames } = await import('../../../library/sources/source-list.ts')
  const { sources } = await loadConfig(env)
  return sourceNames(sourcesPlaces(env, sources.filePath))
}

/** Returns backups by position (newest first) and by name. Does not create a missing memory. */
async function backupNames({ env }: Context): Promise<CompletionWord[]> {
  const { loadMemoryConfig } = await import('../../../config/memory.ts')
  const { workspaceFolder } = await import('../../memory.ts')
  const path = workspaceFolder(await loadMemoryConfig(env, {}))
  const workspace = { name: '', path, customFiles: [], ignoresCase: false }
  const { listBackups } = await import('../../../memory/backup/backup-list.ts')
  const names = (await listBackups(workspace)).map(({ name }) => name)
  return [
    ...names.map((name, i): CompletionWord => [`-${i + 1}`, name]),
    ...names.map((name): CompletionWord => [name, '']),
  ]
}

/**
 * Candidates for completion at the cursor. `words` are complete. `suggest` needs access to the
 * store. Its candidates start with `lead`, such as `--version=`.
 */
export type Completion =
  | { words: readonly CompletionWord[] }
  | { suggest: SuggestionKind; library: string | null; word: string; lead: string }

/** `words` are the words from `og` to the cursor. The last one may be incomplete. */
export function completionAt(commands: readonly Command[], words: readonly string[]): Completion {
  const visible = commands.filter((command) => !command.hidden)
  const word = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const command = visible.find(({ name, aliases }) => {
    const [first, second] = name.split(' ')
    if (second !== undefined) return before[0] === first && before[1] === second
    return before[0] === first || aliases.includes(before[0] ?? '')
  })
  const members = filterByPrefix(word, commandWords(visible, before))
  // `og sources` is a command and also the first word of `og sources trust`.
  if (command === undefined || members.length > 0) return { words: members }
  return completeArguments(command, before.slice(command.name.split(' ').length), word)
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

function completeArguments(command: Command, before: string[], prefix: string): Completion {
  const scan = scanArguments(command, before)
  const coloured = /^--color=/.exec(prefix)?.[0] ?? ''
  if (!scan.isEnded && (before.at(-1) === '--color' || coloured !== '')) {
    const words = filterByPrefix(
      prefix.slice(coloured.length),
      colourModes.map((colour) => [colour, '']),
    )
    return { words: words.map(([word, doc]) => [coloured + word, doc]) }
  }
  const value = (option: Option | Positional | undefined, lead: string): Completion => {
    const rest = prefix.slice(lead.length)
    if (option && 'choices' in option && option.choices) {
      const words = filterByPrefix(
        rest,
        option.choices.map((choice) => [choice, '']),
      )
      return { words: words.map(([word, doc]) => [lead + word, doc]) }
    }
    const suggest = option && 'suggest' in option ? option.suggest : undefined
    if (suggest === undefined) return { words: [] }
    return { suggest, library: scan.library, word: rest, lead }
  }
  if (scan.awaits) return value(scan.awaits, '')
  if (scan.isEnded || !prefix.startsWith('-')) return value(positionalAt(command, scan.count), '')
  const [, name] = /^--([^=]+)=/.exec(prefix) ?? []
  if (name !== undefined) return value(command.options[name], `--${name}=`)
  return { words: filterByPrefix(prefix, optionWords(command)) }
}

type Scan = { awaits: Option | null; count: number; library: string | null; isEnded: boolean }

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

function filterByPrefix(prefix: string, words: readonly CompletionWord[]): CompletionWord[] {
  const start = prefix.toLowerCase()
  const seen = new Map(words.map(([word, doc]) => [word, doc]))
  return [...seen].filter(([word]) => word.toLowerCase().startsWith(start))
}

/**
 * Each script passes the words before the cursor to `og __complete` and therefore works with any
 * version. og looks up library names and versions. Readline also splits words at ":" and "="
 * (COMP_WORDBREAKS) and replaces only the last part, so the script for bash removes the earlier
 * parts from each candidate.
 */
const scripts: Readonly<Record<string, string>> = { bash, zsh, fish }

export const completion = command({
  name: 'completion',
  summary: 'print the completion script of a shell',
  positionals: { shell: { doc: 'one of', choices: Object.keys(scripts) } },
  async run({ terminal }, { shell }) {
    await terminal.write(scripts[shell]!)
    return 0
  },
})

export type CompletionWord = readonly [word: string, doc: string]
