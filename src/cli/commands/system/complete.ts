import { loadConfig } from '../../../config/load.ts'
import { settings } from '../../../config/setting.ts'
import { command, type Command } from '../../command.ts'
import type { Context } from '../../context.ts'
import {
  filterByPrefix,
  completionAt,
  type CompletionWord,
  type Completion,
} from '../../completion.ts'

/**
 * The command that completion scripts call. It prints one line per candidate: the word, a tab, and
 * its description. The scripts discard stderr. `load` loads the commands that some words may name.
 */
export function completeCommand(
  load: (words: readonly string[]) => Promise<readonly Command[]>,
): Command {
  return command({
    name: '__complete',
    summary: 'print the words that may stand at the cursor',
    hidden: true,
    positionals: { words: { doc: 'the words up to the cursor', variadic: true, optional: true } },
    examples: [],
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

async function candidatesOf(context: Context, { suggest, library, typed, lead }: ValueCompletion) {
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
  const { sourcesPlaces } = await import('../../../config/homes.ts')
  const { sourceNames } = await import('../../../library/sources/source-list.ts')
  const { sources } = await loadConfig(env)
  return sourceNames(sourcesPlaces(env, sources.filePath))
}

/** Returns the backups by position (newest first) and by name. Does not create a missing memory. */
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
