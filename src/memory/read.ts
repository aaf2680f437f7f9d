import { OgError } from '../platform/error.ts'
import { fileForName, readNamed, textHash } from './write/memory-file.ts'
import { linesWithEnds, countCharacters } from './text.ts'
import { type Workspace, seeds, isCreated, isOwnFile } from './workspace.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dayFiles, memoryFiles } from './memory-files.ts'

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
  /** Length of `content` in code points. */
  chars: number
  total_lines: number
  /** Hash of the whole file. memory_compact requires it as `expect`. */
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

/** Rejects line numbers below 1. */
function checkLine(what: string, line: number | undefined): void {
  if (line === undefined || (Number.isInteger(line) && line >= 1)) return
  throw new OgError(`'${what}' must be a whole number from 1, not ${line}`)
}

export type ListRequest = { target?: string; file?: string }

export type ListResult =
  | { files: ListedFile[]; count: number }
  /** File names without the folder, newest first. */
  | { daily_files: string[]; count: number }
  | { file: string; line_count: number; size: number; preview: string[] }

/** `size` is in bytes. */
type ListedFile = { file: string; line_count: number; size: number }

/** Lists the files of the workspace, the daily logs, or the first 20 lines of one file. */
export async function list(
  workspace: Workspace,
  { target = 'files', file }: ListRequest,
  now: Date,
): Promise<ListResult> {
  if (file !== undefined && file !== '') return peek(workspace, file, now)
  if (target === 'daily') {
    const names = dayFiles(workspace)
      .map((day) => day.replace('daily/', ''))
      .reverse()
    return { daily_files: names, count: names.length }
  }
  if (target !== 'files') {
    throw new OgError(`Unknown target '${target}'. Valid targets: ['files', 'daily'].`)
  }
  const files = isCreated(workspace) ? await filesOnDisk(workspace) : filesOfSeeds()
  return { files, count: files.length }
}

async function peek(workspace: Workspace, name: string, now: Date): Promise<ListResult> {
  const { file, text } = await readNamed(workspace, fileForName(name, now))
  const lines = linesWithEnds(text)
  const preview = lines.slice(0, 20).map((line) => line.replace(/\r?\n$/, ''))
  return { file, line_count: lines.length, size: Buffer.byteLength(text), preview }
}

async function filesOnDisk(workspace: Workspace): Promise<ListedFile[]> {
  const { path } = workspace
  const names = memoryFiles(workspace).filter((name) => isOwnFile(path, name))
  // Invalid UTF-8 in one file must not hide the other files.
  return Promise.all(
    names.map(async (name) => toListedFile(name, await readFile(join(path, name)))),
  )
}

function filesOfSeeds(): ListedFile[] {
  const listed = Object.entries(seeds).filter(([name]) => name !== 'FIRST_RUN.md')
  return listed.map(([name, text]) => toListedFile(name, Buffer.from(text)))
}

function toListedFile(file: string, bytes: Buffer): ListedFile {
  return { file, line_count: linesWithEnds(bytes.toString()).length, size: bytes.length }
}
