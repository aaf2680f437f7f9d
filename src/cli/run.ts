import { loadConfig } from '../config/load.ts'
import { fullMessageOf, OgError } from '../platform/error.ts'
import { trace } from '../platform/trace.ts'
import { didYouMean, nearest } from '../platform/text/nearest.ts'
import { helpFlags, parseArguments } from './arguments.ts'
import type { Command } from './command.ts'
import type { Context } from './context.ts'
import { commandsOf, loadCommands } from './commands/all.ts'
import {
  splitGlobalOptions,
  helpWidth,
  renderAll,
  renderGroup,
  renderHelp,
  renderOverview,
} from './help.ts'
import { rawPagesHint } from './answer/raw-pages-hint.ts'

/** Runs the command line and prints at most one error. @returns the exit code */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  try {
    const { rest, wishes } = splitGlobalOptions(argv)
    context.terminal.adjust(wishes)
    return await dispatch(rest, context)
  } catch (error) {
    return await reportError(error, context)
  } finally {
    await context.terminal.flush()
    trace('flush output')
  }
}

async function dispatch(argv: readonly string[], context: Context): Promise<number> {
  const [first, ...rest] = argv
  const width = helpWidth(context.terminal.width())
  if (first === 'help' && rest[0] === '--all') {
    return print(context, renderAll(await loadCommands(), width))
  }
  if (first === 'help') return dispatch([...rest, '--help'], context)
  if (first === '--version' || first === '-V') return dispatch(['version', ...rest], context)
  if (first === undefined || helpFlags.includes(first)) {
    return print(context, renderOverview(await loadCommands(), width))
  }
  const candidates = await commandsOf(argv)
  const command = find(argv, candidates)
  if (command === null) return runGroup(argv, candidates, context)
  const argumentWords = argv.slice(command.name.split(' ').length)
  if (hasFlag(argumentWords, helpFlags)) {
    return print(context, renderHelp(command, { width, isWhole: hasFlag(argumentWords, allFlags) }))
  }
  const parsed = parseArguments(command, argumentWords)
  trace('parse command', { name: command.name })
  const exitCode = await command.run(context, parsed)
  trace('run command', { exitCode })
  return exitCode
}

function find(
  [first = '', second = '']: readonly string[],
  candidates: readonly Command[],
): Command | null {
  const isNamed = ({ name, aliases }: Command) =>
    name === first || name === `${first} ${second}` || aliases.includes(first)
  return candidates.find(isNamed) ?? null
}

async function runGroup(
  argv: readonly string[],
  members: readonly Command[],
  context: Context,
): Promise<number> {
  const [first = '', second] = argv
  if (members.length === 0) throw unknownCommand(first, (await loadCommands()).flatMap(typedNames))
  if (second === undefined || [...helpFlags, ...allFlags].includes(second)) {
    const width = helpWidth(context.terminal.width())
    return print(context, renderGroup(first, members, { width, isWhole: hasFlag(argv, allFlags) }))
  }
  throw unknownMember(
    [first, second],
    members.map(({ name }) => name.slice(first.length + 1)),
  )
}

/** Compares only the second words, because all commands of a group share the first one. */
function unknownMember([group, member]: [string, string], words: string[]): OgError {
  const name = `${group} ${member}`
  const near = nearest(member, words)
  const others = Object.hasOwn(otherMembers, member) ? otherMembers[member]! : []
  const suggestions = near.length > 0 ? near : others.filter((word) => words.includes(word))
  const guess = suggestions.map((word) => `"${group} ${word}"`).join(' or ')
  const hint = remedies[name] ?? (guess && `did you mean ${guess}?`)
  return new OgError(`Unknown command "${name}"`, { hint: hint || `see "og ${group} --help"` })
}

function typedNames({ name, aliases, hidden }: Command): string[] {
  return hidden ? [] : [name.split(' ')[0]!, ...aliases]
}

function unknownCommand(word: string, names: string[]): OgError {
  const what = word.startsWith('-') ? 'option' : 'command'
  const other = Object.hasOwn(otherWords, word) ? `did you mean "${otherWords[word]}"?` : null
  const remedy = Object.hasOwn(remedies, word) ? remedies[word] : other
  const near = remedy ?? didYouMean(word, what === 'option' ? ['--help', '--version'] : names)
  return new OgError(`Unknown ${what} "${word}"`, { hint: near || 'see "og --help"' })
}

const otherWords: Readonly<Record<string, string>> = {
  search: 'query',
  find: 'query',
  ask: 'query',
  index: 'add',
  install: 'add',
  delete: 'remove',
  upgrade: 'update',
  refresh: 'update',
  read: 'get',
  show: 'get',
  cat: 'get',
}

const otherMembers: Readonly<Record<string, readonly string[]>> = {
  get: ['read'],
  show: ['read', 'list'],
  cat: ['read'],
  ls: ['list'],
  find: ['search'],
  query: ['search'],
  add: ['write'],
  create: ['add', 'write'],
  save: ['write'],
  rm: ['remove'],
  delete: ['remove'],
  unset: ['reset'],
  log: ['history'],
}

const retiring =
  '`og memory write "" --corrects ENTRY` retires an entry, "og memory undo" reverts a write'

const remedies: Readonly<Record<string, string>> = {
  uninstall: '"og remove LIBRARY" deletes a library; og itself is the file that "og doctor" names',
  'memory forget': retiring,
  'memory delete': retiring,
  'memory remove': retiring,
}

const allFlags: readonly string[] = ['--all']

function hasFlag(words: readonly string[], flags: readonly string[]): boolean {
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? undefined : end).some((word) => flags.includes(word))
}

async function print(context: Context, text: string): Promise<number> {
  await context.terminal.write(text)
  return 0
}

/** After Ctrl-C, any error is its consequence, so the reason of the signal is reported. */
async function reportError(thrown: unknown, context: Context): Promise<number> {
  const { terminal, env, interruption } = context
  const signal = interruption()
  const error: unknown = signal.aborted ? signal.reason : thrown
  if (error instanceof OgError) {
    terminal.note('error', error.message)
    const hint = (error.code === 'empty' ? await rawPages(context) : null) ?? error.hint
    if (hint) terminal.note('hint', hint)
    return error.exitCode
  }
  if (isOfSystem(error)) {
    terminal.note('error', fullMessageOf(error))
    return 2
  }
  terminal.note('error', `internal: ${fullMessageOf(error)}`)
  if (env.OG_DEBUG === '1' && error instanceof Error) terminal.note('plain', error.stack ?? '')
  else terminal.note('hint', 'OG_DEBUG=1 shows where; please report it')
  return 2
}

/** Returns a hint about raw pages. Ignores errors, because the main error is already reported. */
async function rawPages({ env }: Context): Promise<string | null> {
  return loadConfig(env)
    .then(rawPagesHint)
    .catch(() => null)
}

/** True for an error caused by the disk, permissions or limits, whose message is sufficient. */
function isOfSystem(error: unknown): boolean {
  const { code = '' } = error as { code?: unknown }
  return systemCodes.test(String(code))
}

const systemCodes = new RegExp(
  '^(?:ENOSPC|EDQUOT|EROFS|EACCES|EPERM|EIO|EFBIG|EMFILE|ENFILE|ENOTDIR|ENAMETOOLONG' +
    '|SQLITE_(?:FULL|IOERR\\w*|READONLY\\w*|CANTOPEN\\w*))$',
)
