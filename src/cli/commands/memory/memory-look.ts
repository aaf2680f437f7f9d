import { loadMemoryConfig } from '../../../config/memory.ts'
import type { ListResult } from '../../../memory/list.ts'
import type { Path } from '../../../memory/relation/relation-query.ts'
import type { Relation } from '../../../memory/relation/relation.ts'
import { renderTriple } from '../../../memory/relation/triple.ts'
import { OgError } from '../../../platform/error.ts'
import { command } from '../../command.ts'
import { counted } from '../../../platform/text/counted.ts'
import { typedContent, writeJson } from '../../answer/memory-answer.ts'
import { jsonOption, memoryFlags, memoryOptions, openTypedMemory } from '../../memory.ts'
import { workspacesOf } from '../../workspaces.ts'
import { renderTable } from '../../answer/table.ts'

const relations = command({
  name: 'memory relations',
  summary: 'print how things are related',
  details: [
    'Names are compared without case; ENTITY may be either end. --hops follows relations from ' +
      'ENTITY on, in either direction, nearest first. The exit code is 1 where there are none.',
  ],
  positionals: { entity: { doc: 'only relations of this name', optional: true } },
  options: {
    subject: { type: 'text', placeholder: 'NAME', doc: 'only with this subject' },
    predicate: { type: 'text', placeholder: 'TEXT', doc: 'only with this predicate' },
    object: { type: 'text', placeholder: 'NAME', doc: 'only with this object' },
    'as-of': { type: 'text', placeholder: 'DATE', doc: 'what was true on this day' },
    past: { type: 'switch', doc: 'also what is no longer true' },
    hops: {
      type: 'whole', placeholder: 'N', doc: 'what is at most N relations away from ENTITY',
      min: 1, max: 10,
    },
    to: { type: 'text', placeholder: 'NAME', doc: 'only the way from ENTITY to this name' },
    ...memoryOptions,
    ...jsonOption,
  },
  examples: [
    'og memory relations Ann',
    'og memory relations --predicate "works at" --as-of 2025-06-01',
    'og memory relations Ann --to Berlin --hops 3',
  ],
  async run(context, { entity, predicate, object, past, to, json, ...typed }) {
    const asOf = typed['as-of'] ?? undefined
    const hops = typed.hops ?? (to === null ? null : 4)
    if (hops !== null && entity === null) {
      throw new OgError('Cannot follow relations: ENTITY is missing')
    }
    await using memory = await openTypedMemory(context, typed)
    if (hops !== null) {
      const paths = await memory.paths(entity!, { hops, asOf, ...(to === null ? {} : { to }) })
      if (json) await writeJson(context, paths.map(pathJson))
      else await context.terminal.write(paths.map(renderPath).join(''))
      return paths.length > 0 ? 0 : 1
    }
    const relations = await memory.relations({
      entity: entity ?? undefined,
      subject: typed.subject ?? undefined,
      predicate: predicate ?? undefined,
      object: object ?? undefined,
      asOf,
      past,
    })
    if (json) await writeJson(context, relations.map(relationJson))
    else await context.terminal.write(relations.map(renderRelation).join(''))
    return relations.length > 0 ? 0 : 1
  },
})

const list = command({
  name: 'memory list',
  summary: 'list the files of the memory, or the workspaces of the root',
  positionals: { file: { doc: 'show the first 20 lines of this file instead', optional: true } },
  options: {
    daily: { type: 'switch', doc: 'list the daily logs, newest first' },
    workspaces: { type: 'switch', doc: 'list the workspaces of the root' },
    ...memoryOptions,
    ...jsonOption,
  },
  examples: ['og memory list', 'og memory list daily', 'og memory list --workspaces'],
  async run(context, { file, daily, workspaces, json, ...typed }) {
    if (workspaces) {
      const { root } = await loadMemoryConfig(context.env, memoryFlags(context, typed))
      const names = await workspacesOf(root)
      if (json) await writeJson(context, { root, workspaces: names })
      else await context.terminal.write(names.map((name) => `${name}\n`).join(''))
      return 0
    }
    await using memory = await openTypedMemory(context, typed)
    const request = { target: daily ? 'daily' : 'files', ...(file === null ? {} : { file }) }
    const list = await memory.list(request)
    if (json) await writeJson(context, list)
    else await context.terminal.write(renderList(list, context.terminal.width()))
    return 0
  },
})

const bootstrap = command({
  name: 'memory bootstrap',
  summary: 'print what an agent reads when a session begins',
  positionals: {},
  options: {
    task: { type: 'text', placeholder: 'TEXT', doc: 'add entries that are relevant to this task' },
    ...memoryOptions,
    ...jsonOption,
  },
  examples: ['og memory bootstrap', 'og memory bootstrap --task "prepare the release"'],
  async run(context, { task, json, ...typed }) {
    await using memory = await openTypedMemory(context, typed)
    const start = await memory.bootstrap(task === null ? {} : { task })
    const text = start.content || nothingYet
    if (json) await writeJson(context, start)
    else await context.terminal.write(text.endsWith('\n') ? text : `${text}\n`)
    return 0
  },
})

const compact = command({
  name: 'memory compact',
  summary: 'replace a whole tier by a shorter text',
  details: [
    'What may be compacted is a setting (bootstrap.compaction_tiers), MEMORY.md unless set. ' +
      'A backup is made first, and "og memory undo" brings the old text back.',
  ],
  positionals: {
    tier: { doc: 'MEMORY.md, USER.md, AGENTS.md or a custom file' },
    content: { doc: 'the new text; "-" reads it from stdin', variadic: true },
  },
  options: {
    expect: {
      type: 'text',
      placeholder: 'HASH',
      doc: '"hash" of what was read (og memory read --json); else nothing is done',
    },
    ...memoryOptions,
    ...jsonOption,
  },
  examples: ['og memory compact MEMORY.md - < shorter.md'],
  async run(context, { tier, content, expect, json, ...typed }) {
    const text = (await typedContent(context, content)) ?? ''
    await using memory = await openTypedMemory(context, typed)
    const request = { tier, content: text, ...(expect === null ? {} : { expect }) }
    const { warning, ...result } = await memory.compact(request)
    if (warning !== undefined) context.terminal.note('warning', warning)
    const undo = result.write_id === undefined ? '' : ` (write ${result.write_id})`
    if (json) await writeJson(context, result)
    else await context.terminal.write(`Compacted ${tier}${undo}; before: backup ${result.backup}\n`)
    return 0
  },
})

/** The commands of `og memory` that show what is stored, and the one that shortens a file. */
export const memoryLookCommands = [relations, list, bootstrap, compact]

const nothingYet =
  '(No memory context yet. Use memory_write to start building your memory.)'

function renderList(list: ListResult, width: number | null): string {
  if ('preview' in list) return list.preview.map((line) => `${line}\n`).join('')
  if ('daily_files' in list) return list.daily_files.map((name) => `daily/${name}\n`).join('')
  const rows = list.files.map(({ file, line_count, size }) => [file, `${line_count}`, `${size}`])
  return renderTable([['FILE', 'LINES', 'BYTES'], ...rows], width)
}

function renderRelation(relation: Relation): string {
  const { note, confidence, source, since, until, date, isPast } = relation
  const facts = [
    ...(isPast ? ['past'] : []),
    ...(since !== null ? [`since ${since}`] : date !== null ? [`recorded ${date}`] : []),
    ...(until !== null ? [`until ${until}`] : []),
    ...(confidence < 1 ? [`confidence ${confidence}`] : []),
    ...(source !== null ? [`from ${source}`] : []),
  ]
  const details = facts.length === 0 ? '' : ` (${facts.join(', ')})`
  return `${renderTriple(relation)}${details}${note === '' ? '' : ` - ${note}`}\n`
}

function relationJson({ id, subject, predicate, object, isPast, line, ...rest }: Relation) {
  const { note, date, confidence, source, since, until } = rest
  const triple = { subject, predicate, object }
  return { id, ...triple, note, date, confidence, source, since, until, past: isPast, line }
}

function renderPath({ to, hops }: Path): string {
  return `${to} (${counted(hops.length, 'hop')}): ${hops.map(renderTriple).join(', ')}\n`
}

function pathJson({ to, hops }: Path) {
  return { to, hops: hops.map(relationJson) }
}
