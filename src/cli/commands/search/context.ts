import { existsSync } from 'node:fs'
import { loadConfig } from '../../../config/load.ts'
import { loadMemoryConfig } from '../../../config/memory.ts'
import { parseSide } from '../../../library/diff.ts'
import { nothingSearched, type SearchAnswer } from '../../../library/search/search.ts'
import { brokenOf } from '../../../library/sparing.ts'
import type { ContextShare } from '../../../memory/bootstrap/context-share.ts'
import type { Memories } from '../../../open-memory.ts'
import type { Og } from '../../../open.ts'
import { hitJson } from '../../../operation/hit.ts'
import {
  formerNoteKeys,
  isPartial,
  notesJson,
  notesOf,
  searchNotes,
  type Note,
} from '../../../operation/note.ts'
import { OgError } from '../../../platform/error.ts'
import { nothingIndexed } from '../../../version/unknown.ts'
import { Damage } from '../../../store/integrity/damage.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { writeJson } from '../../answer/memory-answer.ts'
import {
  jsonOption,
  memoryFlags,
  memoryOptions,
  workspaceFolder,
  type MemoryTyped,
} from '../../memory.ts'
import { printNotes } from '../../answer/notes.ts'
import { projectPins } from '../../project-version.ts'
import { taskContext } from '../../answer/task-context.ts'

export const context = command({
  name: 'context',
  summary: 'print what memory and documentation know for a task, within one budget',
  details: [
    'Entries of the memory come first, then quoted text of the documentation, whole ones, as ' +
      'many as --max-tokens hold; what one side does not need the other may have. Several ' +
      'libraries are heard in turn; without one all are asked. A token is counted as 3 bytes of ' +
      'UTF-8. The exit code is 1 where neither knows anything.',
    'Where no passage is clearly about TASK, a line above the nearest ones says so, and stderr ' +
      'of each library ("confidence" and "weak" in JSON). With --strict a library has none then ' +
      '("refused" in JSON).',
  ],
  positionals: { task: { doc: 'what is to be done; "-" reads it from stdin', variadic: true } },
  options: {
    'max-tokens': {
      type: 'whole',
      placeholder: 'N',
      doc: 'at most N tokens',
      min: 200,
      max: 1_000_000,
      default: 4000,
    },
    library: {
      type: 'texts',
      short: 'l',
      placeholder: 'LIBRARY',
      doc: 'ask this library, or LIBRARY@VERSION',
      suggest: 'library',
    },
    strict: { type: 'switch', doc: 'take no passages that are not clearly about TASK' },
    'no-refuse': { type: 'switch', doc: 'does nothing; passages are taken without --strict' },
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
    const searching = ask(context, og, { query, sides, strict: typed.strict })
    // A failure is told where it is awaited.
    searching.catch(() => {})
    const session = memories === null ? null : await memories.session()
    const answered = await searching
    const { hits, isSure, isNothing } = answered
    if (isNothing && session === null) throw nothingIndexed()
    const recall = session && ((maxTokens: number) => session.context(query, { maxTokens }))
    const maxTokens = typed['max-tokens']
    const answer = await taskContext({ hits, recall, isSure }, { maxTokens })
    const { text, tokens, memory, omitted } = answer
    const libraries = new Set(answer.hits.map((hit) => hit.library))
    const notes = answered.notes.filter(
      (note) => note.kind !== 'version-default' || libraries.has(note.library),
    )
    const warnings = memory?.warnings ?? []
    const doubts = notesOf(notes, 'weak').map(({ reason }) => reason)
    if (json) {
      await writeJson(context, {
        task: query,
        max_tokens: maxTokens,
        tokens,
        text,
        memory: memory && shareJson(memory),
        documentation: {
          confidence: isSure && answer.hits.length > 0 ? 'high' : 'weak',
          hits: answer.hits.map(hitJson),
          omitted,
          notes: notesJson(notes),
          weak: typed.strict ? [] : doubts,
          refused: typed.strict ? doubts : [],
          version_from: notesOf(notes, 'version-chosen').map(({ kind: _, ...from }) => from),
          ...formerNoteKeys(notes),
        },
        warnings,
      })
    } else {
      printNotes(context.terminal, notes)
      const remedy = typed.strict ? ' Without --strict the nearest passages are taken.' : ''
      for (const reason of doubts) context.terminal.note('plain', `There is ${reason}.${remedy}`)
      for (const warning of warnings) context.terminal.note('warning', warning)
      await context.terminal.write(text)
    }
    return text === '' || isPartial(notes) ? 1 : 0
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
  { query, sides, strict }: { query: string; sides: readonly Side[]; strict: boolean },
) {
  const all: readonly Side[] = sides.length > 0 ? sides : [{ library: null, version: null }]
  const project = await projectPins(context, null)
  const request = { query, project, limit, judge: true, refuse: strict }
  const answers = await Promise.all(
    all.map((side) => og.search({ ...side, ...request }).catch(brokenAnswer)),
  )
  return {
    hits: answers.map(({ hits }) => hits),
    notes: distinct(answers.flatMap((answer) => searchNotes(answer))),
    isSure: answers.some(({ doubt, hits }) => doubt === null && hits.length > 0),
    isNothing: answers.every(({ searched, broken }) => searched.length + broken.length === 0),
  }
}

/** Two sides may have asked the same library version. */
function distinct(notes: readonly Note[]): Note[] {
  return [...new Map(notes.map((note) => [JSON.stringify(note), note])).values()]
}
