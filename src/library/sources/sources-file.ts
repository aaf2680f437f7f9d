import { lstat, readFile, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { messageOf, OgError } from '../../platform/error.ts'
import { isRecord, parseJson } from '../../platform/json.ts'

export type SourcesFile = {
  origin: 'named' | 'project' | 'user' | 'bundled'
  path: string
  folder: string
  entries: ReadonlyMap<string, unknown>
}

const sizeLimitBytes = 4 * 2 ** 20

export function projectSources(project: string): string {
  return join(project, '.openground', 'sources.json')
}

export function userSources(lists: string): string {
  return join(lists, 'sources.json')
}

export async function readSourcesFile(
  path: string,
): Promise<Map<string, unknown> | OgError | null> {
  const refuse = (why: string, cause?: unknown) =>
    new OgError(`Cannot read sources file "${path}": ${why}`, { cause })
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (stats instanceof Error) {
    // Only a link can be dangling: another process may create the file between the two calls.
    const link = stats.code === 'ENOENT' ? await lstat(path).catch(() => null) : null
    if (link?.isSymbolicLink()) return refuse('it is a symbolic link to nothing')
    return stats.code === 'ENOENT' || stats.code === 'ENOTDIR' ? null : refuse(stats.message, stats)
  }
  if (!stats.isFile()) return refuse('it is not a file')
  if (stats.size > sizeLimitBytes) {
    const mb = Math.ceil(stats.size / 2 ** 20)
    return refuse(`it is ${mb} MB, limit is ${sizeLimitBytes / 2 ** 20} MB`)
  }
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => error)
  return text instanceof Error ? refuse(text.message, text) : parseSourcesFile(text, path)
}

export function parseSourcesFile(text: string, path: string): Map<string, unknown> | OgError {
  const refuse = (why: string, cause?: unknown) =>
    new OgError(`Cannot read sources file "${path}": ${why}`, { cause })
  const plain = text.replace(/^\uFEFF/, '')
  if (plain.trim() === '') return new Map()
  try {
    const content: unknown = parseJson(plain)
    return isRecord(content) ? new Map(Object.entries(content)) : refuse('it is not a JSON object')
  } catch (cause) {
    return refuse(`it is not valid JSON (${messageOf(cause)})`, cause)
  }
}

export async function isSameFolder(a: string, b: string): Promise<boolean> {
  const real = (path: string) => realpath(path).catch(() => resolve(path))
  return (await real(a)) === (await real(b))
}
