import { undoWrite } from '../../operation/memory/upkeep.ts'
import { listEntries } from '../../operation/memory/read.ts'
import { deleteEntry, writeMemory } from '../../operation/memory/write.ts'
import { OgError } from '../../platform/error.ts'
import { redirect } from '../frame.ts'
import type { Route, Visit } from '../visit.ts'
import { findEntry } from './entry-card.ts'
import {
  isFixedFile,
  memoryAddress,
  type OpenWorkspace,
  runOperation,
  memoryRoute,
} from './site-memory.ts'

export const writeRoutes: readonly Route[] = [
  memoryRoute('POST', '/write', write),
  memoryRoute('POST', '/correct', correct),
  memoryRoute('POST', '/retire', retire),
  memoryRoute('POST', '/delete', remove),
  memoryRoute('POST', '/undo', answerUndo),
]

/** Returns the value of a form field. Replaces the browser's CRLF line endings with LF. */
export function formValue({ form }: Visit, name: string): string {
  return (form.get(name) ?? '').replaceAll('\r\n', '\n').trim()
}

/** Redirects to a view of memory. If `write_id` is given, the view reports that write. */
export function redirectToMemory(
  remembered: OpenWorkspace,
  part: string,
  { file, write_id: wrote }: { file?: string; write_id?: string },
): Response {
  return redirect(memoryAddress(remembered, part, { file, wrote }))
}

async function write(visit: Visit, remembered: OpenWorkspace): Promise<Response> {
  const tags = formValue(visit, 'tags')
    .split(/[\s,]+/)
    .filter((tag) => tag !== '')
  const request = { file: formValue(visit, 'file'), content: formValue(visit, 'content'), tags }
  const { value } = await runOperation(remembered, writeMemory, request)
  return redirectToMemory(remembered, '', value)
}

async function correct(visit: Visit, remembered: OpenWorkspace): Promise<Response> {
  const content = formValue(visit, 'content')
  if (content === '') throw new OgError('Cannot correct the entry: the text is empty')
  const [file, id] = [formValue(visit, 'file'), formValue(visit, 'id')]
  if (isFixedFile(remembered, file)) return writeCorrection(remembered, { file, id, content })
  const { value: entries } = await runOperation(remembered, listEntries, {})
  const entry = findEntry(entries, { file, id })
  const { startLine: start_line, endLine: end_line, text: expect } = entry
  const lines = { file, content, start_line, end_line, expect }
  const { value } = await runOperation(remembered, writeMemory, lines)
  return redirectToMemory(remembered, '', value)
}

async function retire(visit: Visit, remembered: OpenWorkspace): Promise<Response> {
  const [file, id] = [formValue(visit, 'file'), formValue(visit, 'id')]
  return writeCorrection(remembered, { file, id, content: '' })
}

/** Writes a correction. The correction of an earlier day's entry is written to today's file. */
async function writeCorrection(
  remembered: OpenWorkspace,
  { file, id, content }: { file: string; id: string; content: string },
): Promise<Response> {
  const target = file.startsWith('daily/') ? 'daily' : file
  const { value: entries } = await runOperation(remembered, listEntries, {})
  const { tags } = findEntry(entries, { file, id })
  const request = { file: target, content, corrects: id, ...(content !== '' && { tags }) }
  const { value } = await runOperation(remembered, writeMemory, request)
  return redirectToMemory(remembered, '', value)
}

async function remove(visit: Visit, remembered: OpenWorkspace): Promise<Response> {
  const place = { file: formValue(visit, 'file'), id: formValue(visit, 'id') }
  const { value } = await runOperation(remembered, deleteEntry, place)
  return redirectToMemory(remembered, '', value)
}

async function answerUndo(visit: Visit, remembered: OpenWorkspace): Promise<Response> {
  const { value } = await runOperation(remembered, undoWrite, { id: formValue(visit, 'id') })
  const part = value.file === 'RELATIONS.md' ? 'relations' : ''
  const { file, write_id } = value
  return redirectToMemory(remembered, part, part === '' ? { file, write_id } : { write_id })
}
