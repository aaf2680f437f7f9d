import { OgError } from '../../platform/error.ts'
import { parseEntries } from '../entry.ts'
import { memoryFiles } from '../memory-files.ts'
import { linesWithEnds } from '../text.ts'
import { editText } from './change.ts'
import { resolveExistingFile } from './memory-file.ts'
import { withWriteLock } from './write-lock.ts'
import type { Writer } from './writer.ts'

export type RemovedEntry = { file: string; write_id: string; warning?: string }

/**
 * Deletes an entry, even from an append-only file. Available to people but not to agents. `undo`
 * restores it. If several entries are the same, deletes the first.
 * @throws OgError if the file has no entry with this id
 */
export async function removeEntry(
  writer: Writer,
  { file, id }: { file: string; id: string },
): Promise<RemovedEntry> {
  return withWriteLock(writer, async (turn) => {
    const files = await memoryFiles(writer.workspace)
    if (file === 'RELATIONS.md' || !files.includes(file)) {
      throw new OgError(`Cannot delete an entry of "${file}": it is not a file of entries`)
    }
    const place = resolveExistingFile(writer.workspace, file)
    const plan = (text: string) => {
      const entry = parseEntries(text).find((it) => it.id === id)
      if (entry !== undefined) return { after: withoutLines(text, entry) }
      throw new OgError(`Cannot delete entry "${id}": ${file} has no such entry any more`)
    }
    const { change } = await editText(turn, place, { op: 'delete_entry', plan })
    const warning = turn.warning === null ? {} : { warning: turn.warning }
    return { file, write_id: change!.id, ...warning }
  })
}

type Lines = { startLine: number; endLine: number }

function withoutLines(text: string, { startLine, endLine }: Lines): string {
  const lines = linesWithEnds(text)
  let first = startLine - 1
  while (first > 0 && lines[first - 1]!.trim() === '') first--
  return [...lines.slice(0, first), ...lines.slice(endLine)].join('')
}
