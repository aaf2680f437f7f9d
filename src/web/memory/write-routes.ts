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
  writableWorkspaceOf,
  type OpenWorkspace,
  runOperation,
} from './site-memory.ts'

export const writeRoutes: readonly Route[] = [
  { method: 'POST', path: '/memory/write', answer: write },
  { method: 'POST', path: '/memory/correct', answer: correct },
  { method: 'POST', path: '/memory/retire', answer: retire },
  { method: 'POST', path: '/memory/delete', answer: remove },
  { method: 'POST', path: '/memory/undo', answer: answerUndo },
]

/** Returns the value of a form field. Browsers send CRLF line endings, which become LF. */
export function formValue({ form }: Visit, name: string): string {
  return (form.get(name) ?? '').replaceAll('\r\n', '\n').trim()
}

/** Redirects to a view of memory; if `write_id` is given, the view reports that write. */
export function redirectToMemory(
  remembered: OpenWorkspace,
  part: string,
  { file, write_id: wrote }: { file?: string; write_id?: string },
): Response {
  return redirect(memoryAddress(remembered, part, { file, wrote }))
}

async function write(visit: Visit): Promise<Response> {
  const remembered = await writableWorkspaceOf(visit)
  const tags = formValue(visit, 'tags')
    .split(/[\s,]+/)
    .filter((tag) => tag !== '')
  const request = { file: formValue(visit, 'file'), content: formValue(visit, 'content'), tags }
  const { value } = await runOperation(remembered, writeMemory, request)
  return redirectToMemory(remembered, '', value)
}

async function correct(visit: Visit): Promise<Response> {
  const content = formValue(visit, 'content')
  if (content === '') throw new OgError('Cannot correct the entry: the text is empty')
  const remembered = await writableWorkspaceOf(visit)
  const [file, id] = [formValue(visit, 'file'), formValue(visit, 'id')]
  if (isFixedFile(remembered, file)) return writeCorrection(remembered, { file, id, content })
  const { value: entries } = await runOperation(remembered, listEntries, {})
  const entry = findEntry(entries, { file, id })
  const { startLine: start_line, endLine: end_line, text: expect } = entry
  const lines = { file, content, start_line, end_line, expect }
  const { value } = await runOperation(remembered, writeMemory, lines)
  return redirectToMemory(remembered, '', value)
}

async function retire(visit: Visit): Promise<Response> {
  const remembered = await writableWorkspaceOf(visit)
  const [file, id] = [formValue(visit, 'file'), formValue(visit, 'id')]
  return writeCorrection(remembered, { file, id, content: '' })
}

/** Writes a correction. The correction of an entry from an earlier day goes into today's file. */
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

async function remove(visit: Visit): Promise<Response> {
  const remembered = await writableWorkspaceOf(visit)
  const place = { file: formValue(visit, 'file'), id: formValue(visit, 'id') }
  const { value } = await runOperation(remembered, deleteEntry, place)
  return redirectToMemory(remembered, '', value)
}

async function answerUndo(visit: Visit): Promise<Response> {
  const remembered = await writableWorkspaceOf(visit)
  const { value } = await runOperation(remembered, undoWrite, { id: formValue(visit, 'id') })
  const part = value.file === 'RELATIONS.md' ? 'relations' : ''
  const { file, write_id } = value
  return redirectToMemory(remembered, part, part === '' ? { file, write_id } : { write_id })
}
