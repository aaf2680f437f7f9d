import { existsSync } from 'node:fs'
import { loadConfig } from '../../../config/load.ts'
import { loadMemoryConfig } from '../../../config/memory.ts'
import type { Hit } from '../../../library/library.ts'
import { weakSentence } from '../../../library/search/doubt.ts'
import { escapeInline, escapeUrl, quoteText } from '../../../mcp/docs/quote.ts'
import type { Memories } from '../../../open-memory.ts'
import { context as contextOperation, type TaskAnswer } from '../../../operation/context.ts'
import { isPartial, notesOf } from '../../../operation/note.ts'
import { OgError } from '../../../platform/error.ts'
import { printJson, printNotes } from '../../answer/notes.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import {
  memoryFlags,
  workspaceFolder,
  type MemoryOptionValues,
  memoryOptions,
} from '../../memory.ts'
import { fieldOptions } from '../../operation-options.ts'
import { projectPins } from '../../project-version.ts'
import { hitLines, maxProseColumns, toHitView, termsToMark } from '../../screen/hit-view.ts'
import { markdownRows } from '../../screen/markdown-rows.ts'
import { pageScreenOptions, selectScreen } from '../../screen/screen-options.ts'
import { styledLine, type Line } from '../../span.ts'
import { wrapLine } from '../../screen/layout.ts'

const fields = fieldOptions(contextOperation.input, {
  max_tokens: { default: 4000 },
  library: { short: 'l', placeholder: 'LIBRARY', suggest: 'library' },
  strict: {},
})

export const context = command({
  name: 'context',
  summary: contextOperation.summary,
  positionals: { task: { doc: 'the task; "-" reads it from stdin', variadic: true } },
  options: { ...fields.options, ...memoryOptions, ...pageScreenOptions },
  async run(context, { task: words, json, ...options }) {
    const { terminal } = context
    const isStdin = words.length === 1 && words[0] === '-'
    const task = (isStdin ? await terminal.input() : words.join(' ')).trim()
    if (task === '') throw new OgError('Cannot look for context: TASK is empty')
    await using og = await context.openOg(await loadConfig(context.env))
    await using memories = await openIfThere(context, options)
    const collecting = {
      og,
      project: () => projectPins(context, null),
      openRecall: () => recallOf(memories),
      renderHit,
    }
    const answer = await contextOperation.run(collecting, { task, ...fields.input(options) })
    const { text } = answer.value
    if (json) await printJson(context, contextOperation.json(answer))
    else {
      printNotes(terminal, answer.notes)
      const remedy = options.strict ? ' Without --strict, the nearest passages are used.' : ''
      for (const { reason } of notesOf(answer.notes, 'weak')) {
        terminal.note('plain', `There is ${reason}.${remedy}`)
      }
      const screen = selectScreen(terminal, options.format)
      if (screen === null) await terminal.write(text)
      else {
        const lines = contextLines(answer.value, screen.columns)
        await terminal.show(lines, { isPaged: !options['no-pager'] })
      }
    }
    return text === '' || isPartial(answer.notes) ? 1 : 0
  },
})

/** Renders memory entries and complete passages for a person. */
function contextLines({ memory, hits, isSure, input }: TaskAnswer, columns: number): Line[] {
  const width = Math.min(maxProseColumns, columns)
  // The first paragraph tells agents how to read the entries.
  const entries = memory === null ? '' : memory.text.replace(/^.*?\n\n/s, '')
  const isWeak = !isSure && hits.length > 0
  const shape = { columns, queried: termsToMark(input.task), lines: null }
  const passages = hits.flatMap((hit) => [
    [],
    ...hitLines(toHitView(hit), { ...shape, rank: hit.rank }),
  ])
  return [
    ...(entries === '' ? [] : [styledLine('From memory', 'title'), []]),
    ...markdownRows(entries, width).map(({ spans }) => spans),
    ...(entries !== '' && isWeak ? [[]] : []),
    ...(isWeak ? wrapLine(styledLine(weakSentence), columns) : []),
    ...(entries === '' && !isWeak ? passages.slice(1) : passages),
  ]
}

/** Opens the memory if its folder exists, without creating it. */
async function openIfThere(
  context: Context,
  options: MemoryOptionValues,
): Promise<Memories | null> {
  const { env, terminal } = context
  const config = await loadMemoryConfig(env, memoryFlags(context, options))
  if (!existsSync(workspaceFolder(config))) return null
  const { openMemories } = await import('../../../open-memory.ts')
  return openMemories(config, env, (line) => terminal.note('warning', line))
}

async function recallOf(memories: Memories | null) {
  const session = memories && (await memories.session())
  return session && ((task: string, maxTokens: number) => session.context(task, { maxTokens }))
}

function renderHit({ library, version, url, heading, startLine, endLine, text }: Hit): string {
  const under = heading === '' ? '' : `, under "${escapeInline(heading)}"`
  const place = `${escapeUrl(url)} lines ${startLine}-${endLine}${under}`
  const where = `${escapeInline(library)} ${escapeInline(version)}, ${place}`
  return quoteText(text.replace(/^\n+/, '').trimEnd(), where)
}
