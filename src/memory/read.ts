import { OgError } from '../platform/error.ts'
import { sha256 } from '../platform/hash.ts'
import { fileForName, readNamed } from './write/memory-file.ts'
import { linesWithEnds, countCharacters } from './text.ts'
import type { Workspace } from './workspace.ts'

export type ReadRequest = {
  /** `daily` means today's log. */
  file: string
  start_line?: number
  end_line?: number
}

export type ReadResult = {
  mode: 'get'
  file: string
  start_line: number | null
  end_line: number | null
  exists: true
  content: string
  /** The length of `content` in code points. */
  chars: number
  total_lines: number
  /** The hash of the whole file, which memory_compact requires as `expect`. */
  hash: string
}

export async function read(
  workspace: Workspace,
  request: ReadRequest,
  now: Date,
): Promise<ReadResult> {
  const { start_line: start, end_line: end } = request
  checkLine('start_line', start)
  checkLine('end_line', end)
  const { file, text } = await readNamed(workspace, fileForName(request.file, now))
  const lines = linesWithEnds(text)
  const content = lines.slice((start ?? 1) - 1, end).join('')
  return {
    mode: 'get',
    file,
    start_line: start ?? null,
    end_line: end ?? null,
    exists: true,
    content,
    chars: countCharacters(content),
    total_lines: lines.length,
    hash: textHash(text),
  }
}

/** Returns the first 12 hexadecimal digits of the SHA-256 of a file's text. */
export function textHash(text: string): string {
  return sha256(text).slice(0, 12)
}

/** Rejects line numbers below 1; line 0 does not mean the last line. */
function checkLine(what: string, line: number | undefined): void {
  if (line === undefined || (Number.isInteger(line) && line >= 1)) return
  throw new OgError(`'${what}' must be a whole number from 1, not ${line}`)
}
