import { OgError } from '../../platform/error.ts'
import { editText, writeFields } from './change.ts'
import {
  resolveExistingFile,
  fileForName,
  isAppendOnly,
  type MemoryFile,
  resolveMemoryFile,
} from './memory-file.ts'
import {
  firstCharacters,
  mainLineEnd,
  linesWithEnds,
  countCharacters,
  convertLineEnds,
} from '../text.ts'
import { withWriteLock, changedMeanwhileError, type Writer } from './write-lock.ts'
import { parseRelations, renderTriple } from '../relation/relation.ts'
import { parseEntries } from '../entry.ts'
import { memoryFiles } from '../memory-files.ts'

export type EditResult = {
  file: string
  mode: 'replace_text' | 'replace_lines' | 'delete'
  replaced?: true
  replaced_lines?: string
  replaced_preview?: string
  deleted_lines?: string
  /** Change of the length in code points. */
  chars_delta?: number
  relations_deleted?: string[]
  relations_format?: 'confirmed'
  format_reminder?: string
  relations_synced?: RelationSync
  write_id?: string
  warning?: string
}

/** Replaces the first occurrence of the text, which may span lines. */
export async function replaceText(
  writer: Writer,
  { file, search, content }: { file: string; search: string; content: string },
): Promise<EditResult> {
  refuseAppendOnly(writer, file)
  if (search.trim() === '') throw new OgError(`'search' cannot be empty or whitespace.`)
  return edit(writer, { file, op: 'replace_text' }, (text, place) => {
    const target = convertLineEnds(search, mainLineEnd(text))
    const start = text.indexOf(target)
    if (start === -1) throw new OgError(`Search text not found in ${place.file.split('/').at(-1)}`)
    const put = convertLineEnds(content, mainLineEnd(text))
    return {
      start,
      end: start + target.length,
      content: put,
      result: { replaced: true, chars_delta: delta(target, put) },
    }
  })
}

export type LineRequest = {
  file: string
  /** 1-based and inclusive. An end beyond the last line means the last line. */
  startLine: number
  endLine: number
  content: string
  /** The expected text of the lines. If it differs, the file does not change. */
  expect?: string
}

export async function replaceLines(writer: Writer, request: LineRequest): Promise<EditResult> {
  const { file, startLine, endLine, content, expect } = request
  refuseAppendOnly(writer, file)
  const op = content === '' ? 'delete' : 'replace_lines'
  return edit(writer, { file, op }, (text, place) => {
    const lines = linesWithEnds(text)
    checkRange(request, lines.length)
    const last = Math.min(endLine, lines.length)
    const start = lines.slice(0, startLine - 1).join('').length
    const old = lines.slice(startLine - 1, last).join('')
    if (expect !== undefined && bare(expect) !== bare(old)) throw changedMeanwhileError(place.file)
    const put =
      content === ''
        ? ''
        : withLineEnd(convertLineEnds(content, mainLineEnd(text)), mainLineEnd(text))
    const range = `${startLine}-${last}`
    const result: Edit['result'] =
      content === ''
        ? { deleted_lines: range }
        : {
            replaced_lines: range,
            replaced_preview: firstCharacters(old, 80),
            chars_delta: delta(old, put),
          }
    return { start, end: start + old.length, content: put, result }
  })
}

type Edit = {
  start: number
  end: number
  content: string
  result: Omit<EditResult, 'file' | 'mode'>
}

async function edit(
  writer: Writer,
  { file: name, op }: { file: string; op: EditResult['mode'] },
  plan: (text: string, place: MemoryFile) => Edit,
): Promise<EditResult> {
  return withWriteLock(writer, async (turn) => {
    const place = resolveExistingFile(writer.workspace, fileForName(name, turn.now))
    const edited = await editText(turn, place, {
      op,
      plan: (text) => {
        const { start, end, content, result } = plan(text, place)
        const after = text.slice(0, start) + content.toWellFormed() + text.slice(end)
        const relations =
          place.file === 'RELATIONS.md'
            ? editRelations({ before: text, after, start, end, content })
            : {}
        return { after, result: { file: place.file, mode: op, ...result, ...relations } }
      },
    })
    const { plan: planned, change } = edited
    return { ...planned.result, ...(change && writeFields(turn, change)) }
  })
}

type RelationChange = { before: string; after: string; start: number; end: number; content: string }

function editRelations(change: RelationChange): Partial<EditResult> {
  const { before, after, start, end, content } = change
  const from = after.lastIndexOf('\n', start - 1) + 1
  const to = after.indexOf('\n', start + content.length - (content.endsWith('\n') ? 1 : 0))
  const isWholeLines =
    content === '' && (start === 0 || before[start - 1] === '\n') && before[end - 1] === '\n'
  checkRelationEdit(content, isWholeLines ? '' : after.slice(from, to === -1 ? undefined : to))
  const deleted = content === '' ? live(before.slice(start, end)).map(renderTriple) : []
  return {
    ...(deleted.length > 0 && { relations_deleted: deleted }),
    relations_format: 'confirmed',
    format_reminder: formatReminder,
    relations_synced: countRelationChanges(before, after),
  }
}

function refuseAppendOnly({ workspace, clock, mutableTiers: tiers }: Writer, name: string): void {
  const [place, { file: today }] = [name, 'daily'].map((one) =>
    resolveMemoryFile(workspace, fileForName(one, clock())),
  ) as [MemoryFile, MemoryFile]
  if (!isAppendOnly(place, { tiers, customFiles: workspace.customFiles, today })) return
  throw new OgError(
    `'${name}' is an append-only memory file and cannot be edited or deleted. ` +
      'Use memory_write to append new information instead.',
    { hint: 'a new entry can correct an old one: give its id as `corrects`' },
  )
}

function checkRange({ startLine, endLine }: LineRequest, nLines: number): void {
  if (!Number.isInteger(startLine) || startLine < 1 || startLine > nLines) {
    throw new OgError(`start_line ${startLine} out of range (file has ${nLines} lines)`)
  }
  if (!Number.isInteger(endLine) || endLine < startLine) {
    throw new OgError(`end_line ${endLine} must be >= start_line ${startLine}`)
  }
}

function withLineEnd(text: string, end: string): string {
  return text.endsWith('\n') ? text : text + end
}

function bare(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '')
}

function delta(old: string, text: string): number {
  return countCharacters(text) - countCharacters(old)
}

const formatReminder =
  'Required format for each line: - [Subject] --predicate--> [Object] (YYYY-MM-DD) — ' +
  '"optional note"\n' +
  'Example: - [Alice] --leads--> [Auth Team] (2026-03-20) — "Sprint planning"'

/**
 * Checks the inserted text and the resulting lines of RELATIONS.md, because inserted text can be
 * valid alone and make its line invalid.
 * @throws OgError with upstream's message
 */
export function checkRelationEdit(content: string, resulting: string): void {
  refuse(content)
  refuse(resulting)
}

/** Numbers of relations after an edit, with upstream's field names. */
type RelationSync = { upserted: number; deleted: number; total_in_file: number }

function countRelationChanges(before: string, after: string): RelationSync {
  const ids = (text: string) => live(text).map(({ id }) => id)
  const now = new Set(ids(after))
  const gone = new Set(ids(before)).difference(now)
  return { upserted: now.size, deleted: gone.size, total_in_file: ids(after).length }
}

function live(text: string) {
  return parseRelations(text).filter(({ isPast }) => !isPast)
}

function refuse(text: string): void {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const invalid = lines.filter(
    (line) => line !== '' && !/^(?:#|<!--)/.test(line) && parseRelations(line).length === 0,
  )
  if (invalid.length === 0) return
  const quotes = invalid.map((line) => `'${line}'`).join(', ')
  throw new OgError(
    `Replacement contains ${invalid.length} invalid line(s): [${quotes}]\n${formatReminder}`,
  )
}

export type RemovedEntry = { file: string; write_id: string; warning?: string }

/**
 * Deletes an entry, even from an append-only file; `undo` restores it. Agents cannot call this. If
 * several entries are equal, deletes the first.
 * @throws OgError if the file has no entry with this id
 */
export async function removeEntry(
  writer: Writer,
  { file, id }: { file: string; id: string },
): Promise<RemovedEntry> {
  return withWriteLock(writer, async (turn) => {
    const files = memoryFiles(writer.workspace)
    if (file === 'RELATIONS.md' || !files.includes(file)) {
      throw new OgError(`Cannot delete an entry of "${file}": it is not a file of entries`)
    }
    const place = resolveExistingFile(writer.workspace, file)
    const plan = (text: string) => {
      const entry = parseEntries(text).find((it) => it.id === id)
      if (entry !== undefined) return { after: withoutLines(text, entry) }
      throw new OgError(`Cannot delete entry "${id}": ${file} no longer has this entry`)
    }
    const { change } = await editText(turn, place, { op: 'delete_entry', plan })
    return { file, ...writeFields(turn, change!) }
  })
}

type Lines = { startLine: number; endLine: number }

function withoutLines(text: string, { startLine, endLine }: Lines): string {
  const lines = linesWithEnds(text)
  let first = startLine - 1
  while (first > 0 && lines[first - 1]!.trim() === '') first--
  return [...lines.slice(0, first), ...lines.slice(endLine)].join('')
}
