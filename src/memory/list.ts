import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OgError } from '../platform/error.ts'
import { dayFiles, isOwnFile, memoryFiles } from './memory-files.ts'
import { seeds } from './seeds.ts'
import { linesWithEnds } from './text.ts'
import { isCreated, type Workspace } from './workspace.ts'
import { fileForName, readNamed } from './write/memory-file.ts'

export type ListRequest = { target?: string; file?: string }

export type ListResult =
  | { files: ListedFile[]; count: number }
  /** File names without folder, newest first. */
  | { daily_files: string[]; count: number }
  | { file: string; line_count: number; size: number; preview: string[] }

/** `size` is in bytes. */
export type ListedFile = { file: string; line_count: number; size: number }

/** Lists the files of the workspace, the daily logs, or the first 20 lines of one file. */
export async function list(
  workspace: Workspace,
  request: ListRequest,
  now: Date,
): Promise<ListResult> {
  const { target = 'files', file } = request
  if (file !== undefined && file !== '') return peek(workspace, file, now)
  if (target === 'daily') {
    const names = (await dayFiles(workspace)).map((day) => day.replace('daily/', '')).reverse()
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
  const names = (await memoryFiles(workspace)).filter((name) => isOwnFile(path, name))
  // Invalid UTF-8 in one file must not hide the others.
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
