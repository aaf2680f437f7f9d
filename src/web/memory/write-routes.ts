import { undoWrite } from '../../operation/memory/keep.ts'
import { listEntries } from '../../operation/memory/read.ts'
import { deleteEntry, writeMemory } from '../../operation/memory/write.ts'
import { OgError } from '../../platform/error.ts'
import { redirect } from '../frame.ts'
import type { Route, Visit } from '../visit.ts'
import { entryAt } from './entry-card.ts'
import {
  isFixedFile,
  memoryAddress,
  rememberedToWrite,
  type Remembered,
  runOperation,
} from './site-memory.ts'

/** The routes that change entries. Each redirects to a view that reports the change. */
export const writeRoutes: readonly Route[] = [
  { method: 'POST', path: '/memory/write', answer: write },
  { method: 'POST', path: '/memory/correct', answer: correct },
  { method: 'POST', path: '/memory/retire', answer: retire },
  { method: 'POST', path: '/memory/delete', answer: remove },
  { method: 'POST', path: '/memory/undo', answer: takeBack },
]

/** The value of a form field. Browsers send CRLF line ends; they become LF. */
export function typed({ form }: Visit, name: string): string {
  return (form.get(name) ?? '').replaceAll('\r\n', '\n').trim()
}

/** Redirects to a view of memory, which reports the write `write_id` if one is given. */
export function onto(
  remembered: Remembered,
  part: string,
  { file, write_id: wrote }: { file?: string; write_id?: string },
): Response {
  return redirect(memoryAddress(remembered, part, { file, wrote }))
}

async function write(visit: Visit): Promise<Response> {
  const remembered = await rememberedToWrite(visit)
  const tags = typed(visit, 'tags')
    .split(/[\s,]+/)
    .filter((tag) => tag !== '')
  const request = { file: typed(visit, 'file'), content: typed(visit, 'content'), tags }
  const { value } = await runOperation(remembered, writeMemory, request)
  return onto(remembered, '', value)
}

async function correct(visit: Visit): Promise<Response> {
  const content = typed(visit, 'content')
  if (content === '') throw new OgError('Cannot correct: there is no text')
  const remembered = await rememberedToWrite(visit)
  const [file, id] = [typed(visit, 'file'), typed(visit, 'id')]
  if (isFixedFile(remembered, file)) return corrected(remembered, { file, id, content })
  const { value: entries } = await runOperation(remembered, listEntries, {})
  const entry = entryAt(entries, { file, id })
  const { startLine: start_line, endLine: end_line, text: expect } = entry
  const lines = { file, content, start_line, end_line, expect }
  const { value } = await runOperation(remembered, writeMemory, lines)
  return onto(remembered, '', value)
}

async function retire(visit: Visit): Promise<Response> {
  const remembered = await rememberedToWrite(visit)
  const [file, id] = [typed(visit, 'file'), typed(visit, 'id')]
  return corrected(remembered, { file, id, content: '' })
}

/**
 * Writes a correction. The correction of an entry of an earlier day is stored in the file of today.
 */
async function corrected(
  remembered: Remembered,
  { file, id, content }: { file: string; id: string; content: string },
): Promise<Response> {
  const target = file.startsWith('daily/') ? 'daily' : file
  const { value: entries } = await runOperation(remembered, listEntries, {})
  const { tags } = entryAt(entries, { file, id })
  const request = { file: target, content, corrects: id, ...(content !== '' && { tags }) }
  const { value } = await runOperation(remembered, writeMemory, request)
  return onto(remembered, '', value)
}

async function remove(visit: Visit): Promise<Response> {
  const remembered = await rememberedToWrite(visit)
  const place = { file: typed(visit, 'file'), id: typed(visit, 'id') }
  const { value } = await runOperation(remembered, deleteEntry, place)
  return onto(remembered, '', value)
}

async function takeBack(visit: Visit): Promise<Response> {
  const remembered = await rememberedToWrite(visit)
  const { value } = await runOperation(remembered, undoWrite, { id: typed(visit, 'id') })
  const part = value.file === 'RELATIONS.md' ? 'relations' : ''
  const { file, write_id } = value
  return onto(remembered, part, part === '' ? { file, write_id } : { write_id })
}
