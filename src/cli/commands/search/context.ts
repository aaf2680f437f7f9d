import { existsSync } from 'node:fs'
import { loadConfig } from '../../../config/load.ts'
import { loadMemoryConfig } from '../../../config/memory.ts'
import { parseSide } from '../../../library/diff.ts'
import { nothingSearched, type SearchAnswer } from '../../../library/search/search.ts'
import { brokenOf } from '../../../library/sparing.ts'
import type { ContextShare } from '../../../memory/bootstrap/context-share.ts'
import type { Memories } from '../../../open-memory.ts'
import type { Og } from '../../../open.ts'
import { OgError } from '../../../platform/error.ts'
import { Damage } from '../../../store/integrity/damage.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { answerJson } from '../../answer/hits.ts'
import { writeJson } from '../../answer/memory-answer.ts'
import {
  jsonOption, memoryFlags, memoryOptions, workspaceFolder, type MemoryTyped,
} from '../../memory.ts'
import { noteVersion, projectPins } from '../../project-version.ts'
import { noteBroken, noteNotIndexed } from '../../search-options.ts'
import { taskContext } from '../../answer/task-context.ts'

export const context = command({
  name: 'context',
  summary: 'print what memory and documentation know for a task, within one budget',
  details: [
    'Entries of the memory come first, then quoted text of the documentation, whole ones, as ' +
      'many as --max-tokens hold; what one side does not need the other may have. Several ' +
      'libraries are heard in turn; without one all are asked. A token is counted as 3 bytes of ' +
      'UTF-8. The exit code is 1 where neither knows anything.',
    'A library whose nearest passages are about something else has none here; stderr says so, ' +
      'and "refused" in JSON. --no-refuse takes them all the same.',
  ],
  positionals: { task: { doc: 'what is to be done; "-" reads it from stdin', variadic: true } },
  options: {
    'max-tokens': {
      type: 'whole', placeholder: 'N', doc: 'at most N tokens', min: 200, max: 1_000_000,
      default: 4000,
    },
    library: {
      type: 'texts',
      short: 'l',
      placeholder: 'LIBRARY',
      doc: 'ask this library, or LIBRARY@VERSION',
      suggest: 'library',
    },
    'no-refuse': { type: 'switch', doc: 'take the nearest passages though they do not match' },
    ...memoryOptions,
    ...jsonOption,
  },
  examples: [
    'og context "add a login page" --max-tokens 3000',
    'og context "cache the token" -l fastapi@0.115 -l redis --json',
  ],
  async run(context, { task, library, json, ...typed }) {
    const isStdin = task.length === 1 && task[0] === '-'
    const query = (isStdin ? await context.terminal.input() : task.join(' ')).trim()
    if (query === '') throw new OgError('Cannot look for context: TASK is empty')
    const sides = library.map(librarySide)
    await using og = await context.openOg(await loadConfig(context.env))
    await using memories = await openIfThere(context, typed)
    const asked = ask(context, og, { query, sides, refuse: !typed['no-refuse'] })
    const session = memories === null ? null : await memories.session()
    const { hits, versionsFrom, notIndexed, broken, refused } = await asked
    const recall = session && ((maxTokens: number) => session.context(query, { maxTokens }))
    const maxTokens = typed['max-tokens']
    const found = await taskContext({ hits, recall }, { maxTokens })
    const { text, tokens, memory, omitted } = found
    const warnings = memory?.warnings ?? []
    if (json) {
      const asked = { query, library: null, version: null, versionsFrom, notIndexed }
      const { hits, not_indexed } = answerJson({ ...found, ...asked })
      await writeJson(context, {
        task: query,
        max_tokens: maxTokens,
        tokens,
        text,
        memory: memory && shareJson(memory),
        documentation: {
          hits, omitted, refused, version_from: versionsFrom,
          ...(not_indexed ? { not_indexed } : {}),
          ...(broken.length > 0 ? { broken } : {}),
        },
        warnings,
      })
    } else {
      for (const from of versionsFrom) noteVersion(context.terminal, from)
      noteNotIndexed(context.terminal, notIndexed)
      noteBroken(context.terminal, broken)
      for (const reason of refused) context.terminal.note('plain', `There is ${reason}.`)
      for (const warning of warnings) context.terminal.note('warning', warning)
      await context.terminal.write(text)
    }
    return text === '' || notIndexed.length + broken.length > 0 ? 1 : 0
  },
})

function shareJson({ nEntries, tokens, isCut }: ContextShare) {
  return { entries: nEntries, tokens, is_cut: isCut }
}

type Side = { library: string | null; version: string | null }

function librarySide(typed: string): Side {
  const side = parseSide(typed)
  if (side !== null) return side
  throw new OgError(`Cannot ask ${JSON.stringify(typed)}: it names no library`, {
    hint: 'write LIBRARY or LIBRARY@VERSION',
  })
}

/** Who has no memory gets no folder by asking. */
async function openIfThere(context: Context, typed: MemoryTyped): Promise<Memories | null> {
  const { env, terminal } = context
  const config = await loadMemoryConfig(env, memoryFlags(context, typed))
  if (!existsSync(workspaceFolder(config))) return null
  const { openMemories } = await import('../../../open-memory.ts')
  return openMemories(config, env, (line) => terminal.note('warning', line))
}

/** Memory, and the other libraries, answer all the same. */
function brokenAnswer(error: unknown): SearchAnswer {
  if (!(error instanceof Damage)) throw error
  return { ...nothingSearched, broken: [brokenOf(error)] }
}

/** Hits that one library may have; a budget seldom holds more. */
const limit = 20

async function ask(
  context: Context,
  og: Og,
  { query, sides, refuse }: { query: string; sides: readonly Side[]; refuse: boolean },
) {
  const all: readonly Side[] = sides.length > 0 ? sides : [{ library: null, version: null }]
  const project = await projectPins(context, null)
  const answers = await Promise.all(
    all.map((side) => og.search({ ...side, query, project, limit, refuse }).catch(brokenAnswer)),
  )
  return {
    hits: answers.map(({ hits }) => hits),
    versionsFrom: answers.flatMap((answer) => answer.versionsFrom),
    notIndexed: answers.flatMap((answer) => answer.notIndexed),
    broken: answers.flatMap((answer) => answer.broken),
    refused: answers.flatMap(({ refusal }) => refusal?.reason ?? []),
  }
}
