import type { HitJson } from '../../../memory/recall/recall-page.ts'
import type { SearchResult } from '../../../memory/recall/session-search.ts'
import { OgError } from '../../../platform/error.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { parseLineRange } from '../../line-range.ts'
import { pickHit, showHits, type Showing } from '../../answer/hit-screen.ts'
import { writeJson } from '../../answer/memory-answer.ts'
import { jsonOption, memoryOptions, openTypedMemory, type MemoryTyped } from '../../memory.ts'
import { markdownRows } from '../../screen/markdown-rows.ts'
import type { ShownHit } from '../../screen/shown-hit.ts'
import { hitScreenOptions, screenDetails, wishedScreen } from '../../screen/screen-options.ts'
import { shellWord } from '../../../platform/text/shell-word.ts'
import { counted } from '../../../platform/text/counted.ts'
import type { Screen } from '../../terminal.ts'
import type { OpenedMemory } from '../../../open-memory.ts'

const read = command({
  name: 'memory read',
  summary: 'print a file of the memory, or lines of it',
  details: ['"daily" is the log of today. Lines are counted from 1, as those of hits are.'],
  positionals: { file: { doc: 'MEMORY.md, daily, daily/2026-03-20.md, a custom file' } },
  options: {
    lines: {
      type: 'text',
      placeholder: 'A-B',
      doc: 'print lines A to B only; "A-" is to the end, "A" is one line',
    },
    ...memoryOptions,
    ...jsonOption,
  },
  examples: ['og memory read daily', 'og memory read USER.md --lines 3-9'],
  async run(context, { file, lines, json, ...typed }) {
    const range = lines === null ? null : parseLineRange(lines)
    await using memory = await openTypedMemory(context, typed)
    const start_line = range?.first
    const end_line = range === null || range.last === Infinity ? undefined : range.last
    const part = await memory.read({ file, start_line, end_line })
    if (part.mode !== 'get') throw new OgError(`Cannot read "${file}"`)
    if (range !== null && range.first > part.total_lines) {
      const message = `No lines ${lines}: ${part.file} has ${part.total_lines}`
      throw new OgError(message, { exitCode: 1 })
    }
    if (json) await writeJson(context, part)
    else await context.terminal.write(part.content)
    return 0
  },
})

const tiers = ['long-term', 'user', 'agents', 'relations', 'daily'] as const
const tierFiles: Record<string, string> = {
  'long-term': 'MEMORY.md',
  user: 'USER.md',
  agents: 'AGENTS.md',
  relations: 'RELATIONS.md',
  daily: 'daily',
}

const search = command({
  name: 'memory search',
  summary: 'search what is remembered, by words and by meaning',
  details: [
    'Filters hold all together. The lines of a hit are what "og memory read" opens, and its ' +
      'entry is what "og memory write --corrects" takes. An entry that holds a name, where TEXT ' +
      'is one, comes first. The exit code is 1 where no entry has the words or is near in meaning.',
    screenDetails,
  ],
  positionals: { text: { doc: 'what to search for; "-" reads it from stdin', variadic: true } },
  options: {
    'top-k': {
      type: 'whole', short: 'k', placeholder: 'N', doc: 'return at most N hits', min: 1, max: 20,
      shown: 'search.top_k, which is 6',
    },
    file: {
      type: 'text',
      short: 'f',
      placeholder: 'FILE',
      doc: 'only this file: MEMORY.md, daily (all days), daily/2026-03-20.md, a custom file',
    },
    tier: { type: 'text', placeholder: 'TIER', doc: `only this tier: ${tiers.join(', ')}` },
    tag: { type: 'texts', short: 't', placeholder: 'TAG', doc: 'only entries with every such tag' },
    'any-tag': { type: 'texts', placeholder: 'TAG', doc: 'only entries with one such tag' },
    since: { type: 'text', placeholder: 'DATE', doc: 'only entries of this day or later' },
    until: { type: 'text', placeholder: 'DATE', doc: 'only entries of this day or earlier' },
    offset: {
      type: 'whole', placeholder: 'N', doc: 'leave out the first N hits', min: 0, max: 100_000,
      default: 0,
    },
    'max-tokens': {
      type: 'whole', placeholder: 'N', doc: 'hits of at most N tokens of four characters',
      min: 1, max: 1_000_000,
    },
    mode: { type: 'text', placeholder: 'MODE', doc: 'hybrid (unless set), full-text or vector' },
    ...hitScreenOptions,
    ...memoryOptions,
    ...jsonOption,
  },
  examples: [
    'og memory search "what does the user drink"',
    'og memory search deploy --tag ops --since 2026-01-01 --json',
    'og memory search deploy --tier daily --offset 6',
  ],
  async run(context, { text, json, ...typed }) {
    const isStdin = text.length === 1 && text[0] === '-'
    const query = (isStdin ? await context.terminal.input() : text.join(' ')).trim()
    if (query === '') throw new OgError('Cannot search: TEXT is empty')
    const screen = json ? null : wishedScreen(context.terminal, typed.format)
    const request = {
      query,
      file: fileOf(typed),
      top_k: typed['top-k'] ?? undefined,
      offset: typed.offset,
      tags: typed.tag,
      any_tags: typed['any-tag'],
      since: typed.since ?? undefined,
      until: typed.until ?? undefined,
      max_tokens: typed['max-tokens'] ?? undefined,
      mode: modeOf(typed.mode),
    }
    await using memory = await openTypedMemory(context, typed)
    const answer = await memory.recall(request)
    if (typed.interactive) return await pickEntry(context, answer, { query, typed, memory })
    if (json) await writeJson(context, answer)
    else if (screen === null) await print(context, answer)
    else {
      const isPaged = !typed['no-pager']
      const isAll = typed['top-k'] !== null
      await show(context, answer, { query, screen, isPaged, isAll, isFull: typed.full, typed })
    }
    return answer.count > 0 ? 0 : 1
  },
})

/** The commands of `og memory` that read and search. */
export const memoryReadCommands = [read, search]

function fileOf({ file, tier }: { file: string | null; tier: string | null }): string | undefined {
  if (tier === null) return file ?? undefined
  if (file !== null) throw new OgError('Cannot search in both --file and --tier: name one')
  const named = tierFiles[tier.toLowerCase().replaceAll('_', '-')]
  if (named !== undefined) return named
  throw new OgError(`Unknown tier "${tier}"`, { hint: `it is one of ${tiers.join(', ')}` })
}

const modes = ['hybrid', 'full-text', 'vector'] as const

function modeOf(typed: string | null): (typeof modes)[number] {
  const mode = modes.find((mode) => mode === (typed ?? 'hybrid'))
  if (mode !== undefined) return mode
  throw new OgError(`Unknown mode "${typed}"`, { hint: `it is one of ${modes.join(', ')}` })
}

type Shown = Pick<Showing, 'query' | 'isPaged' | 'isAll' | 'isFull'> & {
  screen: Screen
  typed: MemoryTyped
}

async function show(
  { terminal }: Context,
  answer: SearchResult,
  { screen, typed, ...showing }: Shown,
): Promise<void> {
  for (const warning of answer.warnings) terminal.note('warning', warning)
  const { results, relations, next_offset: next } = answer
  await showHits({ terminal }, { ...screen, rows: screen.rows - answer.warnings.length }, {
    ...showing,
    hits: results.map((hit) => shownEntry(hit, typed)),
    above: results.length === 0 ? ['Found no entries.'] : [],
    below: [
      ...(relations.length === 0 ? [] : ['Relations:', ...relations.map((one) => `   ${one}`)]),
      ...(next === null ? [] : [`There is more: --offset ${next}`]),
    ],
  })
}

type Picked = { query: string; typed: MemoryTyped; memory: OpenedMemory }

async function pickEntry(
  { terminal }: Context,
  { results }: SearchResult,
  { query, typed, memory }: Picked,
): Promise<number> {
  if (results.length === 0) throw new OgError('Found no entries', { exitCode: 1 })
  const hits = results.map((hit) => shownEntry(hit, typed))
  return await pickHit({ terminal }, { query, hits }, async (index) => {
    const { file, start_line: startLine } = results[index]!
    const read = await memory.read({ file })
    if (read.mode !== 'get') throw new OgError(`Cannot read "${file}"`)
    return { rows: (width) => markdownRows(read.content, width), startLine }
  })
}

function shownEntry(hit: HitJson, { workspace, root, ...typed }: MemoryTyped): ShownHit {
  const { file, start_line, end_line, heading, entry_id, corrected_by } = hit
  const words = [
    ...['og', 'memory', 'read', file, '--lines', `${start_line}-${end_line}`],
    ...(workspace === null ? [] : ['-w', workspace]),
    ...(root === null ? [] : ['--root', root]),
    ...(typed['env-file'] === null ? [] : ['--env-file', typed['env-file']]),
  ]
  return {
    title: [file, heading].filter((part) => part !== '').join(' › '),
    place: [
      `lines ${start_line}-${end_line}`,
      ...(entry_id === '' ? [] : [`entry ${entry_id}`]),
      ...(corrected_by === null ? [] : [`corrected by ${corrected_by}`]),
    ].join(', '),
    text: hit.text,
    command: words.map(shellWord).join(' '),
  }
}

async function print({ terminal }: Context, answer: SearchResult): Promise<void> {
  for (const warning of answer.warnings) terminal.note('warning', warning)
  const { results, relations } = answer
  const count = `Found ${counted(results.length, 'entry', 'entries')}.\n`
  const lines = relations.length === 0 ? '' : `Relations:\n${indented(relations.join('\n'))}`
  await terminal.write(count + results.map(renderHit).join('') + lines)
  const { next_offset: next } = answer
  if (next !== null) terminal.note('hint', `there is more: --offset ${next}`)
}

function renderHit(hit: HitJson, index: number): string {
  const { file, start_line, end_line, text, score, corrected_by, relation_context } = hit
  const marks = [
    `score=${score.toFixed(4)}`,
    ...(hit.entry_id === '' ? [] : [`entry ${hit.entry_id}`]),
    ...(corrected_by === null ? [] : [`corrected by ${corrected_by}`]),
  ]
  const related = relation_context.filter((line) => !text.includes(line)).join('\n')
  return (
    `${index + 1}. ${file}:${start_line}-${end_line} (${marks.join(', ')})\n` +
    indented(`${text.trim()}\n${related}`.trimEnd())
  )
}

function indented(text: string): string {
  return `${text.replace(/^(?=.)/gm, '   ')}\n`
}
