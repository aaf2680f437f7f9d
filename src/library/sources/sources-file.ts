import { lstat, readFile, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { messageOf, OgError } from '../../platform/error.ts'
import { parseJson } from '../../platform/json.ts'
import { isObject } from './source-entry.ts'

/** A sources.json that was read. */
export type SourcesFile = {
  /** Who wrote it: a user, the project of the current folder (a stranger), or we. */
  origin: 'named' | 'project' | 'user' | 'bundled'
  path: string
  /** Where its relative paths begin; of the project's file the project. */
  folder: string
  /** By the name of the library. */
  entries: ReadonlyMap<string, unknown>
}

const sizeLimitBytes = 4 * 2 ** 20

/** `~/.openground/sources.json`, or the one of a project. */
export function sourcesPath(folder: string): string {
  return join(folder, '.openground', 'sources.json')
}

/** The entries of a sources.json; null where there is none, an error where it is none of ours. */
export async function readEntries(path: string): Promise<Map<string, unknown> | OgError | null> {
  const refuse = (why: string, cause?: unknown) =>
    new OgError(`Cannot read sources file "${path}": ${why}`, { cause })
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (stats instanceof Error) {
    const isDangling = stats.code === 'ENOENT' && (await lstat(path).catch(() => null)) !== null
    if (isDangling) return refuse('it is a symbolic link to nothing')
    return stats.code === 'ENOENT' || stats.code === 'ENOTDIR' ? null : refuse(stats.message, stats)
  }
  if (!stats.isFile()) return refuse('it is no file')
  if (stats.size > sizeLimitBytes) {
    const mb = Math.ceil(stats.size / 2 ** 20)
    return refuse(`it is ${mb} MB, limit is ${sizeLimitBytes / 2 ** 20} MB`)
  }
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => error)
  return text instanceof Error ? refuse(text.message, text) : parseEntries(text, path)
}

/** The entries of the text of a sources.json at `path`; an error if it is none of ours. */
export function parseEntries(text: string, path: string): Map<string, unknown> | OgError {
  const refuse = (why: string, cause?: unknown) =>
    new OgError(`Cannot read sources file "${path}": ${why}`, { cause })
  const plain = text.replace(/^\uFEFF/, '')
  if (plain.trim() === '') return new Map()
  try {
    const content: unknown = parseJson(plain)
    return isObject(content) ? new Map(Object.entries(content)) : refuse('it holds no JSON object')
  } catch (cause) {
    return refuse(`it is not valid JSON (${messageOf(cause)})`, cause)
  }
}

/** Whether two paths are one folder, also through a link. */
export async function isSameFolder(a: string, b: string): Promise<boolean> {
  const real = (path: string) => realpath(path).catch(() => resolve(path))
  return (await real(a)) === (await real(b))
}
