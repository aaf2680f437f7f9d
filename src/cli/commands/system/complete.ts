import { loadConfig } from '../../../config/load.ts'
import { settings } from '../../../config/setting.ts'
import { command, type Command } from '../../command.ts'
import type { Context } from '../../context.ts'
import {
  beginning,
  completionAt,
  type Candidate,
  type Completion,
} from '../../completion.ts'

/**
 * What the scripts of `og completion` call: a line for each word that may stand at the cursor,
 * a tab, its sentence. Errors go the usual way; the scripts drop stderr.
 */
export function completeFrom(commands: readonly Command[]): Command {
  return command({
    name: '__complete',
    summary: 'print the words that may stand at the cursor',
    hidden: true,
    positionals: { words: { doc: 'the words up to the cursor', variadic: true, optional: true } },
    options: {},
    examples: [],
    async run(context, { words }) {
      const completion = completionAt(commands, words)
      const found = 'words' in completion ? completion.words : await look(context, completion)
      await context.terminal.write(found.map(([word, doc]) => `${word}\t${doc}\n`).join(''))
      return 0
    },
  })
}

type Asked = Extract<Completion, { lead: string }>

async function look(context: Context, { suggest, library, typed, lead }: Asked) {
  const found = beginning(typed, await everyWord(context, { suggest, library }))
  return found.map(([word, doc]): Candidate => [lead + word, doc])
}

async function everyWord(
  { env, openOg }: Context,
  { suggest, library }: Pick<Asked, 'suggest' | 'library'>,
): Promise<Candidate[]> {
  if (suggest === 'setting') return settings.map(({ key, doc }) => [key, doc])
  await using og = await openOg(await loadConfig(env))
  const found = await og.list()
  if (suggest === 'library') return found.map((it) => [it.library, ''])
  const wanted = library?.toLowerCase()
  return found
    .filter((it) => wanted === undefined || it.library.toLowerCase() === wanted)
    .map((it) => [it.version, wanted === undefined ? it.library : ''])
}
