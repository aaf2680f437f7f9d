import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { OgError } from '../platform/error.ts'
import { dayFiles, isOwnFile, memoryFiles } from './memory-files.ts'
import { existingPlace, fileNamed, readText } from './write/place.ts'
import { linesWithEnds } from './text.ts'
import type { Workspace } from './workspace.ts'

export type ListRequest = { target?: string; file?: string }

export type ListResult =
  | { files: ListedFile[]; count: number }
  /** Names without folder, newest first. */
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
  const names = (await memoryFiles(workspace)).filter((name) => isOwnFile(workspace.path, name))
  const files = await Promise.all(names.map((name) => toListedFile(workspace, name)))
  return { files, count: files.length }
}

async function peek(workspace: Workspace, name: string, now: Date): Promise<ListResult> {
  const place = existingPlace(workspace, fileNamed(name, now))
  const lines = linesWithEnds(await readText(place))
  const preview = lines.slice(0, 20).map((line) => line.replace(/\r?\n$/, ''))
  const { size } = await stat(place.path)
  return { file: place.file, line_count: lines.length, size, preview }
}

async function toListedFile({ path }: Workspace, file: string): Promise<ListedFile> {
  // Invalid UTF-8 in one file must not hide the others.
  const bytes = await readFile(join(path, file))
  return { file, line_count: linesWithEnds(bytes.toString()).length, size: bytes.length }
}
