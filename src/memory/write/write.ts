import { statSync } from 'node:fs'
import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { checkDate, localTime } from '../text.ts'
import { editFile } from '../../platform/file/edit-file.ts'
import { append, type AppendResult } from './append.ts'
import { replaceLines, replaceText, type EditResult } from './edit.ts'
import { withWriteLock, type Writer } from './write-lock.ts'

/** The parameters of memory_write with upstream's names. */
export type WriteRequest = {
  file?: string
  content?: string
  search?: string
  start_line?: number
  end_line?: number
  tags?: readonly string[]
  expect?: string
  /** An og extension: id of the entry that this one corrects or, if `content` is empty, retires. */
  corrects?: string
  supersedes?: string
  /** An og extension: the first day of validity, and the first day after it. */
  valid_from?: string
  until?: string
  /** An og extension: the duration of validity from `valid_from` or now, such as `30d`. */
  for?: string
}

export type WriteResult = AppendResult | EditResult

/**
 * Selects the mode by the parameters: `search` replaces text, both line numbers replace or delete
 * lines, and otherwise the text is appended. Ambiguous parameters are an error, whereas upstream
 * guesses: a missing `content` deletes nothing, and a single line number is invalid.
 */
export async function write(writer: Writer, request: WriteRequest): Promise<WriteResult> {
  const result = await dispatch(writer, request)
  await endFirstRun(writer)
  return result
}

async function dispatch(writer: Writer, request: WriteRequest): Promise<WriteResult> {
  const { file = 'MEMORY.md', content, search, expect } = request
  const { start_line: startLine, end_line: endLine } = request
  const isEdit = search !== undefined || startLine !== undefined || endLine !== undefined
  const dated = (['supersedes', 'valid_from', 'until', 'for'] as const).find(
    (key) => request[key] !== undefined,
  )
  if (isEdit && dated !== undefined) {
    throw new OgError(`'${dated}' applies to new entries only, not to replaced text.`)
  }
  if (search !== undefined) {
    return replaceText(writer, { file, search, content: requireContent(content, 'the text found') })
  }
  if (startLine !== undefined && endLine !== undefined) {
    const what = `lines ${startLine}-${endLine}`
    return replaceLines(writer, {
      file,
      startLine,
      endLine,
      content: requireContent(content, what),
      expect,
    })
  }
  if (startLine !== undefined || endLine !== undefined) {
    throw new OgError(`Give both 'start_line' and 'end_line', or neither to append.`)
  }
  const { tags, corrects, supersedes } = request
  if (corrects !== undefined && supersedes !== undefined) {
    throw new OgError(`Give 'corrects' for a wrong entry or 'supersedes' for an old one, not both.`)
  }
  const validity = validityOf(request, writer.clock())
  const older = corrects ?? supersedes
  if (older === undefined)
    return append(writer, { file, content: content ?? '', tags, ...validity })
  const body = requireContent(content, `entry ${older} from what is recalled`)
  return append(writer, { file, content: body, tags, corrects, supersedes, ...validity })
}

/**
 * Returns the first day of validity and the first day after it.
 * @throws OgError if a value is not a date, or if the end is before the start
 */
function validityOf({ valid_from: from, until, for: lifetime }: WriteRequest, now: Date) {
  if (lifetime !== undefined && until !== undefined) {
    throw new OgError(`Give 'until' or 'for', not both.`)
  }
  checkDate('valid_from', from)
  checkDate('until', until)
  const first = from ?? localTime(now).day
  const end = lifetime === undefined ? until : addLifetime(first, lifetime)
  if (end !== undefined && end <= first) {
    throw new OgError(`The entry would never be valid: it ends on ${end} and begins on ${first}.`)
  }
  return { validFrom: from ?? null, validUntil: end ?? null }
}

const units: Record<string, string> = { d: 'days', w: 'weeks', m: 'months', y: 'years' }

/** Adds a time such as `6m` to a day. A month without that day ends on its last day. */
function addLifetime(day: string, lifetime: string): string {
  const [, count, unit] = /^([1-9]\d{0,3})([dwmy])$/.exec(lifetime.trim()) ?? []
  if (count === undefined) {
    const quoted = JSON.stringify(lifetime)
    throw new OgError(`'for' has to be a time like 30d, 2w, 6m or 1y, not ${quoted}`)
  }
  return `${Temporal.PlainDate.from(day).add({ [units[unit!]!]: Number(count) })}`
}

function requireContent(content: string | undefined, what: string): string {
  if (content !== undefined) return content
  throw new OgError(`'content' is required: pass "" to delete ${what}.`)
}

async function endFirstRun(writer: Writer): Promise<void> {
  const path = join(writer.workspace.path, 'FIRST_RUN.md')
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  await withWriteLock(writer, async () =>
    editFile(path, {
      plan: (before) => (before === null || before.bytes.length === 0 ? null : ''),
      keepsAppended: true,
      name: 'FIRST_RUN.md',
    }),
  )
}
