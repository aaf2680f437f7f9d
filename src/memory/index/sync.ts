import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../platform/error.ts'
import { sha256 } from '../../platform/hash.ts'
import { fileState, unsettledPrefix, removeFileRows, writeFileRows } from './index-rows.ts'
import { memoryFiles } from '../memory-files.ts'
import { retryIfDamaged, type MemoryIndex } from './memory-index.ts'
import { isOwnFile, type Workspace } from '../workspace.ts'

/** Numbers of files. An unreadable file keeps its rows and is listed in `errors`. */
export type SyncResult = {
  added: number
  updated: number
  deleted: number
  skipped: number
  errors: { file: string; error: string }[]
}

/**
 * Updates the index after any change of the files, including manual edits. Skips files with
 * unchanged size, time and inode unless `force` is set. Writes and embeds only changed entries.
 */
export function syncIndex(
  index: MemoryIndex,
  files: SearchedFile[],
  options: { force?: boolean } = {},
): SyncResult {
  return retryIfDamaged(index, () => {
    const result: SyncResult = { added: 0, updated: 0, deleted: 0, skipped: 0, errors: [] }
    const select = index.database.query<FileRow, []>('SELECT path, source, state, hash FROM files')
    const rows = new Map(select.all().map((row) => [row.path, row]))
    for (const file of files) {
      const row = rows.get(file.path)
      const state = stateOnDisk(index, file.path)
      if (state === null) continue
      rows.delete(file.path)
      const isSame = row?.state === state && row.source === file.source
      if (isSame && !options.force) result.skipped++
      else syncFile(index, { file, row, result, force: options.force === true })
    }
    for (const path of rows.keys()) {
      removeFileRows(index, path)
      result.deleted++
    }
    return result
  })
}

type FileRow = SearchedFile & { state: string; hash: string | null }

function stateOnDisk(index: MemoryIndex, path: string): string | null {
  const stats = statSync(join(index.folder, path), { throwIfNoEntry: false })
  return stats === undefined ? null : fileState(stats)
}

type FileSync = { file: SearchedFile; row: FileRow | undefined; result: SyncResult; force: boolean }

function syncFile(index: MemoryIndex, { file, row, result, force }: FileSync): void {
  const read = readText(index.folder, file.path)
  if ('error' in read) {
    result.errors.push({ file: file.path, error: read.error })
    return
  }
  const { text, state } = read
  const hash = sha256(text)
  if (row?.hash === hash && row.source === file.source && !force) {
    index.database.query('UPDATE files SET state = ? WHERE path = ?').run(state, file.path)
    result.skipped++
    return
  }
  if (force) removeFileRows(index, file.path)
  writeFileRows(index, { ...file, text, state, hash })
  if (row === undefined) result.added++
  else result.updated++
}

type Read = { text: string; state: string }

/** Twice the clock tick of common file systems. Two changes within one tick have the same time. */
const tickMs = 20

function readText(folder: string, file: string): Read | { error: string } {
  if (!isOwnFile(folder, file)) return { error: 'it is not a file in the workspace' }
  try {
    const path = join(folder, file)
    const stats = statSync(path)
    const isSettled = Date.now() - stats.mtimeMs > tickMs
    const text = readFileSync(path, 'utf8')
    return { text, state: isSettled ? fileState(stats) : unsettledPrefix + fileState(stats) }
  } catch (error) {
    const { code } = error as { code?: string }
    // The error must not contain the path, because agents see it.
    return { error: code ?? messageOf(error) }
  }
}

type SearchedFile = { path: string; source: string }

export function searchedFiles(workspace: Workspace): SearchedFile[] {
  const paths = memoryFiles(workspace).filter((path) => isSearched(workspace, path))
  return paths.map((path) => ({ path, source: sourceLabel(path) }))
}

export function isSearched({ customFiles }: Workspace, path: string): boolean {
  return !customFiles.some(({ name, searchable }) => name === path && !searchable)
}

/** Returns upstream's label for a memory file: its tier, or `memory` for a custom file. */
export function sourceLabel(path: string): string {
  return path.startsWith('daily/') ? 'daily' : (sources[path] ?? 'memory')
}

const sources: Record<string, string> = {
  'MEMORY.md': 'long_term',
  'USER.md': 'user',
  'AGENTS.md': 'agents',
  'RELATIONS.md': 'relations',
}
