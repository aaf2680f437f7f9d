import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { editFile } from '../../platform/file/edit-file.ts'
import { append, type AppendResult } from './append.ts'
import { replaceLines, replaceText, type EditResult } from './edit.ts'
import { withWriteLock } from './write-lock.ts'
import type { Writer } from './writer.ts'

/** The parameters of memory_write under upstream's names. */
export type WriteRequest = {
  file?: string
  content?: string
  search?: string
  start_line?: number
  end_line?: number
  tags?: readonly string[]
  /** Our addition: the expected text of the lines. */
  expect?: string
  /** Our addition: id of the entry that this one corrects or, with an empty `content`, retires. */
  corrects?: string
}

export type WriteResult = AppendResult | EditResult

/**
 * Selects the mode by the parameters: `search` replaces text, both line numbers replace or (with an
 * empty `content`) delete lines, otherwise it appends. Ambiguous input, which upstream guesses, is
 * an error: an omitted `content` deletes nothing, and one line number alone is invalid (weakness
 * 9).
 */
export async function write(writer: Writer, request: WriteRequest): Promise<WriteResult> {
  const result = await dispatch(writer, request)
  await endFirstRun(writer)
  return result
}

async function dispatch(writer: Writer, request: WriteRequest): Promise<WriteResult> {
  const { file = 'MEMORY.md', content, search, expect } = request
  const { start_line: startLine, end_line: endLine } = request
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
  const { tags, corrects } = request
  if (corrects === undefined) return append(writer, { file, content: content ?? '', tags })
  const kept = requireContent(content, `entry ${corrects} from what is recalled`)
  return append(writer, { file, content: kept, tags, corrects })
}

function requireContent(content: string | undefined, what: string): string {
  if (content !== undefined) return content
  throw new OgError(`'content' is required: pass "" to delete ${what}.`)
}

async function endFirstRun(writer: Writer): Promise<void> {
  const path = join(writer.workspace.path, 'FIRST_RUN.md')
  const size = async () =>
    stat(path).then(
      (stats) => stats.size,
      () => 0,
    )
  if ((await size()) === 0) return
  await withWriteLock(writer, async () =>
    editFile(path, {
      plan: (before) => (before === null || before.bytes.length === 0 ? null : ''),
      keepsAppended: true,
      name: 'FIRST_RUN.md',
    }),
  )
}
