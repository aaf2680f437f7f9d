import type { RelateRequest, RelateResult } from '../../../memory/relation/relate.ts'
import { renderTriple } from '../../../memory/relation/triple.ts'
import type { WriteResult } from '../../../memory/write/write.ts'
import type { OpenedMemory } from '../../../open-memory.ts'
import { OgError } from '../../../platform/error.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { parseLineRange } from '../../line-range.ts'
import { noteWarning, typedContent, writeJson } from '../../answer/memory-answer.ts'
import { jsonOption, memoryOptions, openTypedMemory } from '../../memory.ts'

const write = command({
  name: 'memory write',
  summary: 'add an entry to the memory, or change text of it',
  details: [
    'Without --search and --lines CONTENT is added as an entry with its date; one that stands ' +
      'there already is not added again. MEMORY.md and daily logs only grow: --corrects puts an ' +
      'entry in the place of an older one, and with "" as CONTENT retires that one.',
    '--search replaces the first place of a text, --lines whole lines, of any other file; "" as ' +
      'CONTENT deletes. "og memory undo" takes any write back.',
  ],
  positionals: {
    content: {
      doc: 'what to write; its words are joined by blanks, "-" reads it from stdin',
      variadic: true,
      optional: true,
    },
  },
  options: {
    file: {
      type: 'text',
      short: 'f',
      placeholder: 'FILE',
      doc: 'MEMORY.md (unless set), USER.md, AGENTS.md, daily, a custom file',
      choices: ['MEMORY.md', 'USER.md', 'AGENTS.md', 'daily'],
    },
    tag: { type: 'texts', short: 't', placeholder: 'TAG', doc: 'tag of the entry' },
    corrects: { type: 'text', placeholder: 'ENTRY', doc: 'the entry that this one corrects' },
    search: { type: 'text', placeholder: 'TEXT', doc: 'replace this text' },
    lines: { type: 'text', placeholder: 'A-B', doc: 'replace lines A to B; "A" is one line' },
    expect: { type: 'text', placeholder: 'TEXT', doc: 'what the lines hold; else nothing is done' },
    ...memoryOptions,
    ...jsonOption,
  },
  examples: [
    'og memory write "Deploys go out on Tuesdays." --tag ops',
    'git log -1 --format=%B | og memory write - --file daily',
    'og memory write "Deploys go out on Fridays." --corrects 3f2a9c41d07b',
    'og memory write "" --file USER.md --lines 7-8',
  ],
  async run(context, { content, file, tag, corrects, search, lines, expect, json, ...typed }) {
    const range = lines === null ? null : parseLineRange(lines)
    if (range?.last === Infinity) throw new OgError('Cannot replace "--lines A-": name both ends')
    const request = {
      file: file ?? 'MEMORY.md',
      content: (await typedContent(context, content)) ?? undefined,
      tags: tag,
      corrects: corrects ?? undefined,
      search: search ?? undefined,
      start_line: range?.first,
      end_line: range?.last,
      expect: expect ?? undefined,
    }
    await using memory = await openTypedMemory(context, typed, { writes: true })
    const result = await memory.write(request)
    noteWarning(context, result)
    if (json) await writeJson(context, result)
    else await context.terminal.write(`${said(result)}\n`)
    return 0
  },
})

const relate = command({
  name: 'memory relate',
  summary: 'record how two things are related, or that they no longer are',
  details: [
    'A relation is told once; what is new of its note, confidence, source or dates goes into its ' +
      'line. --supersedes ends every other relation of SUBJECT and PREDICATE, which stays as ' +
      'past. --end ends relations likewise; --delete takes their lines away. With these two ' +
      'PREDICATE and OBJECT may be left out, and then all such relations are meant.',
  ],
  positionals: {
    subject: { doc: 'who or what' },
    predicate: { doc: 'how it is related', optional: true },
    object: { doc: 'to whom or what', optional: true },
  },
  options: {
    supersedes: { type: 'switch', doc: 'end other relations of this subject and predicate' },
    note: { type: 'text', placeholder: 'TEXT', doc: 'a note' },
    confidence: { type: 'text', placeholder: 'N', doc: 'how sure it is, from 0 to 1' },
    source: { type: 'text', placeholder: 'PLACE', doc: 'from where it is known' },
    since: { type: 'text', placeholder: 'DATE', doc: 'true from this day on' },
    until: { type: 'text', placeholder: 'DATE', doc: 'no longer true from this day on' },
    end: { type: 'switch', doc: 'it is no longer true: from --until, or else today' },
    delete: { type: 'switch', doc: 'take it away, with its past' },
    ...memoryOptions,
    ...jsonOption,
  },
  examples: [
    'og memory relate Ann "works at" Acme --since 2025-01-01',
    'og memory relate Ann "works at" Beta --supersedes --note "said in May"',
    'og memory relate Ann "works at" Beta --end --until 2026-03-01',
    'og memory relate Ann --delete',
  ],
  async run(context, values) {
    const { predicate, object, end, json } = values
    const isEnding = end || values.delete
    if (end && values.delete) throw new OgError('Cannot both --end and --delete: name one')
    if (!isEnding && (predicate === null || object === null)) {
      throw new OgError('Cannot relate: PREDICATE and OBJECT are missing', {
        hint: 'see "og memory relate --help"',
      })
    }
    await using memory = await openTypedMemory(context, values, { writes: !isEnding })
    if (isEnding) return await remove(context, memory, values)
    const result = await memory.relate(relateRequest(values))
    noteWarning(context, result)
    if (json) await writeJson(context, result)
    else await context.terminal.write(`${related(result)}\n`)
    return 0
  },
})

/** The commands of `og memory` that write entries and relations. */
export const memoryWriteCommands = [write, relate]

function said(result: WriteResult): string {
  const undo = result.write_id === undefined ? '' : ` (write ${result.write_id})`
  switch (result.mode) {
    case 'append': {
      if (result.deduplicated) return `${result.file} holds this entry already.`
      const entry = result.entry_id === undefined ? '' : ` entry ${result.entry_id}`
      return `Added${entry} to ${result.file}${undo}.`
    }
    case 'replace_text':
      return `Replaced text in ${result.file}${undo}.`
    case 'replace_lines':
      return `Replaced lines ${result.replaced_lines} of ${result.file}${undo}.`
    case 'delete':
      return `Deleted lines ${result.deleted_lines} of ${result.file}${undo}.`
  }
}

type Typed = {
  subject: string
  predicate: string | null
  object: string | null
  until: string | null
  delete: boolean
  json: boolean
}

async function remove(context: Context, memory: OpenedMemory, typed: Typed): Promise<number> {
  const { subject, predicate, object, until } = typed
  const choice = {
    subject,
    ...(predicate === null ? {} : { predicate }),
    ...(object === null ? {} : { object }),
  }
  const options = { keep: !typed.delete, ...(until === null ? {} : { until }) }
  const result = await memory.removeRelations(choice, options)
  noteWarning(context, result)
  const verb = typed.delete ? 'Deleted' : 'Ended'
  const lines = result.removed.map((triple) => `${verb} ${renderTriple(triple)}`)
  if (typed.json) await writeJson(context, result)
  else await context.terminal.write(`${lines.join('\n')}\n`)
  return 0
}

type RelateTyped = Typed & {
  supersedes: boolean
  note: string | null
  confidence: string | null
  source: string | null
  since: string | null
}

function relateRequest(typed: RelateTyped): RelateRequest {
  const { subject, predicate, object, supersedes, note, source, since, until } = typed
  return {
    subject,
    predicate: predicate ?? '',
    object: object ?? '',
    supersedes,
    note: note ?? undefined,
    confidence: confidenceOf(typed.confidence),
    source_file: source ?? undefined,
    since: since ?? undefined,
    until: until ?? undefined,
  }
}

function confidenceOf(typed: string | null): number | undefined {
  if (typed === null) return undefined
  const value = /^(\d{0,20}\.)?\d{1,20}$/.test(typed) ? Number(typed) : -1
  if (value >= 0 && value <= 1) return value
  throw new OgError(`Cannot use "${typed}" for --confidence: must be from 0 to 1`)
}

function related({ line, deduplicated, superseded = [], write_id }: RelateResult): string {
  if (deduplicated) return `Known already: ${line}`
  const ended = superseded.map((triple) => `Superseded ${renderTriple(triple)}`)
  const undo = write_id === undefined ? '' : ` (write ${write_id})`
  return [`Recorded ${line.replace(/^- /, '')}${undo}`, ...ended].join('\n')
}
