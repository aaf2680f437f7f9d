import type { HitJson, SearchResult } from '../../../memory/session-search.ts'
import { weakSentence } from '../../../library/search/doubt.ts'
import {
  readMemory,
  recallMemory,
  bootstrapMemory,
  listMemory,
  emptyMemoryText,
} from '../../../operation/memory/read.ts'
import { OgError } from '../../../platform/error.ts'
import { command, option } from '../../command.ts'
import type { Context } from '../../context.ts'
import { parseLineRange } from '../../arguments.ts'
import { showHits, type HitScreen } from '../../answer/hit-screen.ts'
import { printOutcome, printNotes, readContentArgument, printJson } from '../../answer/notes.ts'
import {
  openSelectedMemory,
  type MemoryOptionValues,
  memoryOptions,
  memoryFlags,
  listWorkspaces,
} from '../../memory.ts'
import { fieldOptions } from '../../operation-options.ts'
import type { HitView } from '../../screen/hit-view.ts'
import { hitScreenOptions, selectScreen } from '../../screen/screen-options.ts'
import { shellWord } from '../../../platform/text/shell-word.ts'
import { formatCount } from '../../../platform/text/count.ts'
import type { Screen } from '../../terminal.ts'
import { loadMemoryConfig } from '../../../config/memory.ts'
import type { ListResult } from '../../../memory/read.ts'
import type { Path } from '../../../memory/relation/relation-query.ts'
import { relationDetails, type Relation, renderTriple } from '../../../memory/relation/relation.ts'
import { followRelations, listRelations, compactMemory } from '../../../operation/memory/write.ts'
import { renderTable } from '../../screen/layout.ts'
import type { Answer } from '../../../operation/note.ts'

const read = command({
  name: 'memory read',
  summary: readMemory.summary,
  positionals: { file: { doc: 'MEMORY.md, daily, daily/2026-03-20.md, a custom file' } },
  options: {
    lines: option.text('A-B', 'print only lines A to B; "A-" means to the end, "A" one line'),
    ...memoryOptions,
  },
  async run(context, { file, lines, json, ...options }) {
    const range = lines === null ? null : parseLineRange(lines)
    await using memory = await openSelectedMemory(context, options)
    const start_line = range?.first ?? null
    const end_line = range === null || range.last === Infinity ? null : range.last
    const outcome = await readMemory.run(memory, { file, start_line, end_line })
    const part = outcome.value
    if (range !== null && range.first > part.total_lines) {
      const message = `No lines ${lines}: ${part.file} has ${part.total_lines}`
      throw new OgError(message, { exitCode: 1 })
    }
    await printOutcome(context, outcome, json ? readMemory.json : () => part.content)
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

const fields = fieldOptions(recallMemory.input, {
  top_k: { short: 'k' },
  file: { short: 'f', placeholder: 'FILE' },
  tags: { name: 'tag', short: 't', placeholder: 'TAG' },
  any_tags: { name: 'any-tag', placeholder: 'TAG' },
  since: { placeholder: 'DATE' },
  until: { placeholder: 'DATE' },
  as_of: { placeholder: 'DATE' },
  offset: { defaultText: '0' },
  max_tokens: {},
  mode: { placeholder: 'MODE' },
})

const search = command({
  name: 'memory search',
  summary: recallMemory.summary,
  positionals: { text: { doc: 'what to search for; "-" reads it from stdin', variadic: true } },
  options: {
    ...fields.options,
    tier: option.text('TIER', `only this tier: ${tiers.join(', ')}`),
    ...hitScreenOptions,
    ...memoryOptions,
  },
  async run(context, { text, json, ...options }) {
    const isStdin = text.length === 1 && text[0] === '-'
    const query = (isStdin ? await context.terminal.input() : text.join(' ')).trim()
    if (query === '') throw new OgError('Cannot search: TEXT is empty')
    const screen = json ? null : selectScreen(context.terminal, options.format)
    const input = { ...fields.input(options), query, file: fileOf(options) }
    await using memory = await openSelectedMemory(context, options)
    const outcome = await recallMemory.run(memory, input)
    const answer = outcome.value
    if (json || screen === null) {
      await printOutcome(context, outcome, json ? recallMemory.json : renderHits)
      if (!json && answer.next_offset !== null) {
        context.terminal.note('hint', `there is more: --offset ${answer.next_offset}`)
      }
    } else {
      const isPaged = !options['no-pager']
      const isAll = options['top-k'] !== null
      await show(context, outcome, { query, screen, isPaged, isAll, isFull: options.full, options })
    }
    return answer.results.length > 0 ? 0 : 1
  },
})

function fileOf({ file, tier }: { file: string | null; tier: string | null }): string | null {
  if (tier === null) return file
  if (file !== null) throw new OgError('Cannot use --file with --tier: give one of them')
  const tierFile = tierFiles[tier.toLowerCase().replaceAll('_', '-')]
  if (tierFile !== undefined) return tierFile
  throw new OgError(`Unknown tier "${tier}"`, { hint: `it is one of ${tiers.join(', ')}` })
}

type PrintOptions = Pick<HitScreen, 'query' | 'isPaged' | 'isAll' | 'isFull'> & {
  screen: Screen
  options: MemoryOptionValues
}

async function show(
  { terminal }: Context,
  { value, notes }: Answer<SearchResult>,
  { screen, options, ...showing }: PrintOptions,
): Promise<void> {
  printNotes(terminal, notes)
  const { results, relations, next_offset: next } = value
  const isWeak = value.confidence === 'weak'
  await showHits(
    { terminal },
    { ...screen, rows: screen.rows - notes.length },
    {
      ...showing,
      hits: results.map((hit) => toShownHit(hit, options)),
      above: results.length === 0 ? ['Found no entries.'] : isWeak ? [weakSentence] : [],
      below: [
        ...(relations.length === 0 ? [] : ['Relations:', ...relations.map((one) => `   ${one}`)]),
        ...(next === null ? [] : [`There is more: --offset ${next}`]),
      ],
    },
  )
}

function toShownHit(hit: HitJson, { workspace, root, ...options }: MemoryOptionValues): HitView {
  const { file, start_line, end_line, heading, entry_id, corrected_by } = hit
  const words = [
    ...['og', 'memory', 'read', file, '--lines', `${start_line}-${end_line}`],
    ...(workspace === null ? [] : ['-w', workspace]),
    ...(root === null ? [] : ['--root', root]),
    ...(options['env-file'] === null ? [] : ['--env-file', options['env-file']]),
  ]
  return {
    title: [file, heading].filter((part) => part !== '').join(' › '),
    place: [
      `lines ${start_line}-${end_line}`,
      ...(entry_id === '' ? [] : [`entry ${entry_id}`]),
      ...(hit.confidence === 'weak' ? ['weak'] : []),
      ...(corrected_by === null ? [] : [`corrected by ${corrected_by}`]),
      ...(hit.valid_until === undefined ? [] : [`valid until ${hit.valid_until}`]),
    ].join(', '),
    text: hit.text,
    command: words.map(shellWord).join(' '),
  }
}

function renderHits({ value }: Answer<SearchResult>): string {
  const { results, relations, confidence } = value
  const total = `Found ${formatCount(results.length, 'entry', 'entries')}.\n`
  const count = confidence === 'weak' && results.length > 0 ? `${weakSentence}\n` : total
  const lines = relations.length === 0 ? '' : `Relations:\n${indent(relations.join('\n'))}`
  return count + results.map(renderHit).join('') + lines
}

function renderHit(hit: HitJson, index: number): string {
  const { file, start_line, end_line, text, score, confidence } = hit
  const { corrected_by, relation_context } = hit
  const marks = [
    `score=${score.toFixed(4)}`,
    ...(confidence === 'weak' ? ['weak'] : []),
    ...(hit.entry_id === '' ? [] : [`entry ${hit.entry_id}`]),
    ...(corrected_by === null ? [] : [`corrected by ${corrected_by}`]),
    ...(hit.valid_until === undefined ? [] : [`valid until ${hit.valid_until}`]),
  ]
  const related = relation_context.filter((line) => !text.includes(line)).join('\n')
  return (
    `${index + 1}. ${file}:${start_line}-${end_line} (${marks.join(', ')})\n` +
    indent(`${text.trim()}\n${related}`.trimEnd())
  )
}

function indent(text: string): string {
  return `${text.replace(/^(?=.)/gm, '   ')}\n`
}

const filter = fieldOptions(listRelations.input, {
  subject: { placeholder: 'NAME' },
  predicate: { placeholder: 'TEXT' },
  object: { placeholder: 'NAME' },
  as_of: { placeholder: 'DATE' },
  past: {},
})
const way = fieldOptions(followRelations.input, {
  hops: {},
  to: { placeholder: 'NAME' },
  as_of: { placeholder: 'DATE' },
})

const relations = command({
  name: 'memory relations',
  summary: listRelations.summary,
  positionals: { entity: { doc: 'only relations of this name', optional: true } },
  options: { ...filter.options, ...way.options, ...memoryOptions },
  async run(context, { entity, json, ...options }) {
    const isFollowed = options.hops !== null || options.to !== null
    if (isFollowed && entity === null) {
      throw new OgError('Cannot follow relations: ENTITY is missing')
    }
    await using memory = await openSelectedMemory(context, options)
    if (isFollowed) {
      const outcome = await followRelations.run(memory, { ...way.input(options), entity: entity! })
      await printOutcome(
        context,
        outcome,
        json ? followRelations.json : ({ value }) => value.map(renderPath).join(''),
      )
      return outcome.value.length > 0 ? 0 : 1
    }
    const outcome = await listRelations.run(memory, { ...filter.input(options), entity })
    await printOutcome(
      context,
      outcome,
      json ? listRelations.json : ({ value }) => value.map(renderRelation).join(''),
    )
    return outcome.value.length > 0 ? 0 : 1
  },
})

const list = command({
  name: 'memory list',
  summary: listMemory.summary,
  positionals: { file: { doc: 'show the first 20 lines of this file instead', optional: true } },
  options: {
    daily: option.flag('list the daily logs, newest first'),
    workspaces: option.flag('list the workspaces of the root'),
    ...memoryOptions,
  },
  async run(context, { file, daily, workspaces, json, ...options }) {
    if (workspaces) {
      const { root } = await loadMemoryConfig(context.env, memoryFlags(context, options))
      const names = await listWorkspaces(root)
      if (json) await printJson(context, { root, workspaces: names })
      else await context.terminal.write(names.map((name) => `${name}\n`).join(''))
      return 0
    }
    await using memory = await openSelectedMemory(context, options)
    const outcome = await listMemory.run(memory, { target: daily ? 'daily' : 'files', file })
    const width = context.terminal.width()
    const render = json ? listMemory.json : () => renderList(outcome.value, width)
    await printOutcome(context, outcome, render)
    return 0
  },
})

const session = fieldOptions(bootstrapMemory.input, { task: { placeholder: 'TEXT' } })

const bootstrap = command({
  name: 'memory bootstrap',
  summary: bootstrapMemory.summary,
  options: { ...session.options, ...memoryOptions },
  async run(context, { json, ...options }) {
    await using memory = await openSelectedMemory(context, options)
    const outcome = await bootstrapMemory.run({ memory }, session.input(options))
    const text = outcome.value.content || emptyMemoryText
    const ended = text.endsWith('\n') ? text : `${text}\n`
    await printOutcome(context, outcome, json ? bootstrapMemory.json : () => ended)
    return 0
  },
})

const shorter = fieldOptions(compactMemory.input, { expect: { placeholder: 'HASH' } })

const compact = command({
  name: 'memory compact',
  summary: compactMemory.summary,
  positionals: {
    tier: { doc: 'MEMORY.md, USER.md, AGENTS.md or a custom file' },
    content: { doc: 'the new text; "-" reads it from stdin', variadic: true },
  },
  options: { ...shorter.options, ...memoryOptions },
  async run(context, { tier, content, json, ...options }) {
    const after = (await readContentArgument(context, content)) ?? ''
    await using memory = await openSelectedMemory(context, options)
    const input = { ...shorter.input(options), tier, content: after }
    const outcome = await compactMemory.run(memory, input)
    const { write_id, backup } = outcome.value
    const undo = write_id === undefined ? '' : ` (write ${write_id})`
    const text = `Compacted ${tier}${undo}; before: backup ${backup}\n`
    await printOutcome(context, outcome, json ? compactMemory.json : text)
    return 0
  },
})

function renderList(list: ListResult, width: number | null): string {
  if ('preview' in list) return list.preview.map((line) => `${line}\n`).join('')
  if ('daily_files' in list) return list.daily_files.map((name) => `daily/${name}\n`).join('')
  const rows = list.files.map(({ file, line_count, size }) => [file, `${line_count}`, `${size}`])
  return renderTable([['FILE', 'LINES', 'BYTES'], ...rows], width)
}

function renderRelation(relation: Relation): string {
  const { note } = relation
  const facts = relationDetails(relation)
  const details = facts.length === 0 ? '' : ` (${facts.join(', ')})`
  return `${renderTriple(relation)}${details}${note === '' ? '' : ` - ${note}`}\n`
}

function renderPath({ to, hops }: Path): string {
  return `${to} (${formatCount(hops.length, 'hop')}): ${hops.map(renderTriple).join(', ')}\n`
}

export const memoryReadCommands = [read, search, relations, list, bootstrap, compact]
