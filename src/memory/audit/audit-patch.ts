import type { AuditEdit, Finding } from './audit.ts'
import { OgError } from '../../platform/error.ts'
import { editText } from '../write/change.ts'
import { resolveExistingFile, readMemoryText } from '../write/memory-file.ts'
import { linesWithEnds } from '../text.ts'
import { withWriteLock, changedMeanwhileError, type Writer } from '../write/write-lock.ts'

/** Returns the fixes that can be applied together. If two fixes overlap, keeps the first. */
export function editsToApply(findings: readonly Finding[]): AuditEdit[] {
  const edits: AuditEdit[] = []
  for (const { fix } of findings) {
    if (fix !== undefined && !edits.some((edit) => overlap(edit, fix))) edits.push(fix)
  }
  return edits
}

export function renderPatch(edits: readonly AuditEdit[]): string {
  const byFile = Map.groupBy(edits, ({ file }) => file)
  return [...byFile]
    .map(([file, group]) => {
      let moved = 0
      const hunks = group
        .toSorted((a, b) => a.start_line - b.start_line)
        .map((edit) => {
          const old = linesWithEnds(edit.expect)
          const put = linesWithEnds(withEnd(edit))
          const start = edit.start_line + moved - (put.length === 0 ? 1 : 0)
          moved += put.length - old.length
          const lines = [...old.map((line) => `-${line}`), ...put.map((line) => `+${line}`)]
          const range = `@@ -${edit.start_line},${old.length} +${start},${put.length} @@\n`
          return range + lines.map((line) => (line.endsWith('\n') ? line : line + noEnd)).join('')
        })
      return `--- a/${file}\n+++ b/${file}\n${hunks.join('')}`
    })
    .join('')
}

/**
 * Parses a patch that `renderPatch` wrote. The user may have removed hunks or lines from it.
 * @throws OgError with the line number if a line is outside any hunk
 */
export function parsePatch(patch: string): AuditEdit[] {
  const edits: AuditEdit[] = []
  const lines = linesWithEnds(patch)
  let file: string | null = null
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!
    const path = /^--- a\/(.+?)\r?\n$/.exec(line)?.[1]
    const start = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/.exec(line)?.[1]
    const edit = edits.at(-1)
    if (path !== undefined && lines[i + 1]?.trimEnd() === `+++ b/${path}`) {
      file = path
      i++
    } else if (start !== undefined && file !== null) {
      const first = Number(start)
      edits.push({ file, start_line: first, end_line: first - 1, expect: '', content: '' })
    } else if (edit === undefined || !takeLine(edit, line)) {
      throw new OgError(
        `Cannot read the patch: line ${i + 1} does not belong to a hunk without context`,
        { hint: 'use the patch that "og memory audit --patch" prints' },
      )
    }
  }
  return edits
}

const noEnd = '\n\\ No newline at end of file\n'

function takeLine(edit: AuditEdit, line: string): boolean {
  if (line.startsWith('-')) {
    edit.expect += line.slice(1)
    edit.end_line++
  } else if (line.startsWith('+')) edit.content += line.slice(1)
  else if (line.startsWith('\\')) {
    const key = edit.content === '' ? 'expect' : 'content'
    edit[key] = edit[key].replace(/\n$/, '')
  } else return line.trim() === ''
  return true
}

export type PatchResult = {
  edits: number
  files: string[]
  /** The write ids for `undo`, one per file. */
  write_ids: string[]
  warning?: string
}

/**
 * Applies the edits of an audit to all files, or to none if a file does not contain the text that
 * its edits expect. Append-only tiers may change too, because the user has accepted the edits and
 * `undo` can revert them.
 */
export async function applyEdits(
  writer: Writer,
  edits: readonly AuditEdit[],
): Promise<PatchResult> {
  return withWriteLock(writer, async (turn) => {
    const planned = []
    for (const [file, group] of Map.groupBy(edits, (edit) => edit.file)) {
      const place = resolveExistingFile(writer.workspace, file)
      const plan = (text: string) => ({ after: applyToText(text, group, file) })
      plan(await readMemoryText(place))
      planned.push({ place, plan })
    }
    const write_ids: string[] = []
    for (const { place, plan } of planned) {
      const { change } = await editText(turn, place, { op: 'audit', plan }).catch((error) => {
        throw afterOthers(error, { file: place.file, writeIds: write_ids })
      })
      if (change !== null) write_ids.push(change.id)
    }
    const warning = turn.warning === null ? {} : { warning: turn.warning }
    const files = planned.map(({ place }) => place.file)
    return { edits: edits.length, files, write_ids, ...warning }
  })
}

function afterOthers(
  error: unknown,
  { file, writeIds }: { file: string; writeIds: string[] },
): unknown {
  if (!(error instanceof OgError) || writeIds.length === 0) return error
  return new OgError(
    `Cannot edit ${file}: it has changed in the meantime; other files were edited`,
    { hint: `run the audit again, or undo these edits: ${writeIds.join(', ')}`, cause: error },
  )
}

function applyToText(text: string, edits: readonly AuditEdit[], file: string): string {
  const lines = linesWithEnds(text)
  for (const edit of edits.toSorted((a, b) => b.start_line - a.start_line)) {
    const count = edit.end_line - edit.start_line + 1
    const replaced = lines.splice(edit.start_line - 1, count, withEnd(edit)).join('')
    if (replaced !== edit.expect) throw changedMeanwhileError(file)
  }
  return lines.join('')
}

function withEnd({ content, expect }: AuditEdit): string {
  if (content === '' || content.endsWith('\n')) return content
  return content + (/\r?\n$/.exec(expect)?.[0] ?? '')
}

function overlap(a: AuditEdit, b: AuditEdit): boolean {
  return a.file === b.file && a.start_line <= b.end_line && b.start_line <= a.end_line
}
