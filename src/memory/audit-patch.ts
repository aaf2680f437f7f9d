import type { AuditEdit, Finding } from './audit.ts'
import { replaceText } from './change.ts'
import { existingPlace, readText } from './place.ts'
import { linesWithEnds } from './text.ts'
import { takeTurn } from './turn.ts'
import { changedMeanwhile, type Writer } from './writer.ts'

/** The fixes that can be made together: of two that touch the same lines the first. */
export function editsOf(findings: readonly Finding[]): AuditEdit[] {
  const edits: AuditEdit[] = []
  for (const { fix } of findings) {
    if (fix !== undefined && !edits.some((edit) => overlap(edit, fix))) edits.push(fix)
  }
  return edits
}

/** The edits as a unified diff without context, for people and `patch`. */
export function renderPatch(edits: readonly AuditEdit[]): string {
  const byFile = Map.groupBy(edits, ({ file }) => file)
  return [...byFile].map(([file, group]) => {
    let moved = 0
    const hunks = group.toSorted((a, b) => a.start_line - b.start_line).map((edit) => {
      const old = linesWithEnds(edit.expect)
      const put = linesWithEnds(withEnd(edit))
      const start = edit.start_line + moved - (put.length === 0 ? 1 : 0)
      moved += put.length - old.length
      const lines = [...old.map((line) => `-${line}`), ...put.map((line) => `+${line}`)]
      const range = `@@ -${edit.start_line},${old.length} +${start},${put.length} @@\n`
      return range + lines.map((line) => (line.endsWith('\n') ? line : `${line}\n`)).join('')
    })
    return `--- a/${file}\n+++ b/${file}\n${hunks.join('')}`
  }).join('')
}

export type PatchResult = { edits: number; files: string[]; warning?: string }

/**
 * Makes edits of an audit, in append-only tiers too: a person has accepted them, and `undo` takes
 * them back. Either every file holds what the edits expect, or nothing is changed.
 */
export async function applyEdits(
  writer: Writer,
  edits: readonly AuditEdit[],
): Promise<PatchResult> {
  return takeTurn(writer, async (turn) => {
    const planned = []
    for (const [file, group] of Map.groupBy(edits, (edit) => edit.file)) {
      const place = existingPlace(writer.workspace, file)
      const before = await readText(place)
      planned.push({ place, before, after: edited(before, group, file) })
    }
    for (const { place, before, after } of planned) {
      await replaceText(turn, place, { before, after, op: 'audit' })
    }
    const warning = turn.warning === null ? {} : { warning: turn.warning }
    return { edits: edits.length, files: planned.map(({ place }) => place.file), ...warning }
  })
}

function edited(text: string, edits: readonly AuditEdit[], file: string): string {
  const lines = linesWithEnds(text)
  for (const edit of edits.toSorted((a, b) => b.start_line - a.start_line)) {
    const count = edit.end_line - edit.start_line + 1
    const found = lines.splice(edit.start_line - 1, count, withEnd(edit)).join('')
    if (found !== edit.expect) throw changedMeanwhile(file)
  }
  return lines.join('')
}

/** A text that replaces whole lines ends as they did. */
function withEnd({ content, expect }: AuditEdit): string {
  if (content === '' || content.endsWith('\n')) return content
  return content + (/\r?\n$/.exec(expect)?.[0] ?? '')
}

function overlap(a: AuditEdit, b: AuditEdit): boolean {
  return a.file === b.file && a.start_line <= b.end_line && b.start_line <= a.end_line
}
