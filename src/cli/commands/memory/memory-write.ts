import type { RelateResult } from '../../../memory/relate.ts'
import { renderTriple } from '../../../memory/relation/relation.ts'
import type { AppendResult } from '../../../memory/write/append.ts'
import type { WriteResult } from '../../../memory/write/write.ts'
import { endRelations, recordRelation, writeMemory } from '../../../operation/memory/write.ts'
import { OgError } from '../../../platform/error.ts'
import { command, option } from '../../command.ts'
import { parseLineRange } from '../../arguments.ts'
import { printOutcome, readContentArgument } from '../../answer/notes.ts'
import { openSelectedMemory, memoryOptions } from '../../memory.ts'
import { fieldOptions } from '../../operation-options.ts'
import type { Answer } from '../../../operation/note.ts'

const entry = fieldOptions(writeMemory.input, {
  file: {
    short: 'f',
    placeholder: 'FILE',
    choices: ['MEMORY.md', 'USER.md', 'AGENTS.md', 'daily'],
  },
  tags: { name: 'tag', short: 't', placeholder: 'TAG' },
  corrects: { placeholder: 'ENTRY' },
  supersedes: { placeholder: 'ENTRY' },
  valid_from: { placeholder: 'DATE' },
  until: { placeholder: 'DATE' },
  for: { placeholder: 'TIME' },
  search: { placeholder: 'TEXT' },
  expect: { placeholder: 'TEXT' },
})

const write = command({
  name: 'memory write',
  summary: writeMemory.summary,
  positionals: {
    content: {
      doc: 'the text; words are joined by spaces, "-" reads stdin',
      variadic: true,
      optional: true,
    },
  },
  options: {
    ...entry.options,
    lines: option.text('A-B', 'replace lines A to B; "A" is one line'),
    ...memoryOptions,
  },
  async run(context, { content, lines, json, ...options }) {
    const range = lines === null ? null : parseLineRange(lines)
    if (range?.last === Infinity)
      throw new OgError('Cannot replace "--lines A-": give the first and the last line')
    const isNew =
      range === null && options.search === null && !options.corrects && !options.supersedes
    const text = content.length === 0 && isNew ? '' : await readContentArgument(context, content)
    if (isNew && (text ?? '').trim() === '') {
      const what = content.length === 0 ? 'missing' : 'empty'
      throw new OgError(`Cannot write an entry: CONTENT is ${what}`, {
        hint: 'see "og memory write --help"',
      })
    }
    const input = {
      ...entry.input(options),
      content: text,
      start_line: range?.first ?? null,
      end_line: range?.last ?? null,
    }
    await using memory = await openSelectedMemory(context, options, { writes: true })
    const outcome = await writeMemory.run(memory, input)
    await printOutcome(context, outcome, json ? writeMemory.json : renderWrite)
    return 0
  },
})

const facts = fieldOptions(recordRelation.input, {
  supersedes: {},
  note: { placeholder: 'TEXT' },
  confidence: {},
  source_file: { name: 'source', placeholder: 'PLACE' },
  since: { placeholder: 'DATE' },
  until: { placeholder: 'DATE' },
})
const endFields = fieldOptions(endRelations.input, { until: { placeholder: 'DATE' }, delete: {} })

const relate = command({
  name: 'memory relate',
  summary: recordRelation.summary,
  positionals: {
    subject: { doc: 'the name that the relation starts from' },
    predicate: { doc: 'the kind of relation', optional: true },
    object: { doc: 'the name that the relation leads to', optional: true },
  },
  options: {
    ...facts.options,
    end: option.flag('end the relation at --until (default: today)'),
    ...endFields.options,
    ...memoryOptions,
  },
  async run(context, { subject, predicate, object, end, json, ...options }) {
    const isEnding = end || options.delete
    if (end && options.delete) throw new OgError('Cannot use --end with --delete: give one of them')
    if (isEnding) {
      await using memory = await openSelectedMemory(context, options)
      const input = { ...endFields.input(options), subject, predicate, object }
      const outcome = await endRelations.run(memory, input)
      const verb = options.delete ? 'Deleted' : 'Ended'
      await printOutcome(
        context,
        outcome,
        json
          ? endRelations.json
          : ({ value }) =>
              value.removed.map((triple) => `${verb} ${renderTriple(triple)}\n`).join(''),
      )
      return 0
    }
    if (predicate === null || object === null) {
      throw new OgError('Cannot relate: PREDICATE and OBJECT are missing', {
        hint: 'see "og memory relate --help"',
      })
    }
    const input = { ...facts.input(options), subject, predicate, object }
    await using memory = await openSelectedMemory(context, options, { writes: true })
    const outcome = await recordRelation.run(memory, input)
    await printOutcome(context, outcome, json ? recordRelation.json : renderRelate)
    return 0
  },
})

export const memoryWriteCommands = [write, relate]

function renderWrite({ value: result }: Answer<WriteResult>): string {
  const undo = result.write_id === undefined ? '' : ` (write ${result.write_id})`
  switch (result.mode) {
    case 'append': {
      if (result.deduplicated) return `${result.file} already holds this entry.\n`
      const entry = result.entry_id === undefined ? '' : ` entry ${result.entry_id}`
      return `Added${entry} to ${result.file}${undo}.\n${renderConflicts(result)}`
    }
    case 'replace_text':
      return `Replaced text in ${result.file}${undo}.\n`
    case 'replace_lines':
      return `Replaced lines ${result.replaced_lines} of ${result.file}${undo}.\n`
    case 'delete':
      return `Deleted lines ${result.deleted_lines} of ${result.file}${undo}.\n`
  }
}

function renderConflicts({ conflicts = [] }: AppendResult): string {
  const lines = conflicts.map(
    ({ entry_id, file, text }) => `  entry ${entry_id} in ${file}: ${text.replace(/\s+/g, ' ')}\n`,
  )
  if (lines.length === 0) return ''
  const hint = '--corrects or --supersedes ENTRY replaces it'
  return `It may contradict, if so ${hint}:\n${lines.join('')}`
}

function renderRelate({ value }: Answer<RelateResult>): string {
  const { line, deduplicated, superseded = [], write_id } = value
  if (deduplicated) return `Known already: ${line}\n`
  const { contradicts = [] } = value
  const ended = superseded.map((triple) => `Superseded ${renderTriple(triple)}\n`)
  const against = contradicts.map((triple) => `Contradicts ${renderTriple(triple)}\n`)
  const undo = write_id === undefined ? '' : ` (write ${write_id})`
  return `Recorded ${line.replace(/^- /, '')}${undo}\n${[...ended, ...against].join('')}`
}
