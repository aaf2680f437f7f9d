import { loadMemoryConfig } from '../../../config/memory.ts'
import type { ListResult } from '../../../memory/list.ts'
import type { Path } from '../../../memory/relation/relation-query.ts'
import { relationDetails, type Relation } from '../../../memory/relation/relation.ts'
import { renderTriple } from '../../../memory/relation/triple.ts'
import { bootstrapMemory, listMemory, emptyMemoryText } from '../../../operation/memory/read.ts'
import { compactMemory, followRelations, listRelations } from '../../../operation/memory/write.ts'
import { OgError } from '../../../platform/error.ts'
import { command } from '../../command.ts'
import { formatCount } from '../../../platform/text/count.ts'
import { printOutcome, readContentArgument, printJson } from '../../answer/memory-answer.ts'
import { memoryFlags, openSelectedMemory, listWorkspaces, memoryOptions } from '../../memory.ts'
import { fieldOptions } from '../../operation-options.ts'
import { renderTable } from '../../answer/table.ts'

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
  examples: [
    'og memory relations Ann',
    'og memory relations --predicate "works at" --as-of 2025-06-01',
    'og memory relations Ann --to Berlin --hops 3',
  ],
  async run(context, { entity, json, ...typed }) {
    const isFollowed = typed.hops !== null || typed.to !== null
    if (isFollowed && entity === null) {
      throw new OgError('Cannot follow relations: ENTITY is missing')
    }
    await using memory = await openSelectedMemory(context, typed)
    if (isFollowed) {
      const outcome = await followRelations.run(memory, { ...way.input(typed), entity: entity! })
      await printOutcome(
        context,
        outcome,
        json ? followRelations.json : ({ value }) => value.map(renderPath).join(''),
      )
      return outcome.value.length > 0 ? 0 : 1
    }
    const outcome = await listRelations.run(memory, { ...filter.input(typed), entity })
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
    daily: { type: 'switch', doc: 'list the daily logs, newest first' },
    workspaces: { type: 'switch', doc: 'list the workspaces of the root' },
    ...memoryOptions,
  },
  examples: ['og memory list', 'og memory list daily', 'og memory list --workspaces'],
  async run(context, { file, daily, workspaces, json, ...typed }) {
    if (workspaces) {
      const { root } = await loadMemoryConfig(context.env, memoryFlags(context, typed))
      const names = await listWorkspaces(root)
      if (json) await printJson(context, { root, workspaces: names })
      else await context.terminal.write(names.map((name) => `${name}\n`).join(''))
      return 0
    }
    await using memory = await openSelectedMemory(context, typed)
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
  examples: ['og memory bootstrap', 'og memory bootstrap --task "prepare the release"'],
  async run(context, { json, ...typed }) {
    await using memory = await openSelectedMemory(context, typed)
    const outcome = await bootstrapMemory.run({ memory }, session.input(typed))
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
  examples: ['og memory compact MEMORY.md - < shorter.md'],
  async run(context, { tier, content, json, ...typed }) {
    const after = (await readContentArgument(context, content)) ?? ''
    await using memory = await openSelectedMemory(context, typed)
    const input = { ...shorter.input(typed), tier, content: after }
    const outcome = await compactMemory.run(memory, input)
    const { write_id, backup } = outcome.value
    const undo = write_id === undefined ? '' : ` (write ${write_id})`
    const text = `Compacted ${tier}${undo}; before: backup ${backup}\n`
    await printOutcome(context, outcome, json ? compactMemory.json : text)
    return 0
  },
})

/** The commands of `og memory` that show stored data, and `compact`. */
export const memoryContentCommands = [relations, list, bootstrap, compact]

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
