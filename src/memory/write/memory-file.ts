import { realpathSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep, win32 } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { didYouMean } from '../../platform/text/nearest.ts'
import { localTime, decodeText } from '../text.ts'
import { seeds, isCreated, type Workspace } from '../workspace.ts'
import { sha256 } from '../../platform/hash.ts'

export type MemoryFile = {
  /** Relative path with `/`, spelled as on disk and in the index. */
  file: string
  path: string
}

/**
 * Resolves a name to a file of the workspace. Rejects paths outside the workspace, hidden folders
 * and backups.
 * @throws OgError with upstream's message
 */
export function resolveMemoryFile(workspace: Workspace, name: string): MemoryFile {
  if (name.includes('\0')) throw accessDenied('embedded null byte')
  if (isAbsolute(name) || win32.isAbsolute(name) || /^[A-Za-z]:/.test(name)) {
    throw accessDenied(`Access denied: absolute paths are not allowed (got '${name}').`)
  }
  const path = resolvePath(resolve(workspace.path, name))
  const inside = relative(workspace.path, path)
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw accessDenied(`Access denied: '${name}' resolves outside the workspace.`)
  }
  const file = ownName(workspace, spelling(workspace, inside.split(sep).join('/')))
  if (isPrivate(workspace, file)) {
    throw accessDenied(`Access denied: '${name}' is not a memory file.`)
  }
  return { file, path }
}

/** Like `resolveMemoryFile`, but the file must exist. Its messages contain no absolute path. */
export function resolveExistingFile(workspace: Workspace, name: string): MemoryFile {
  const place = resolveMemoryFile(workspace, name)
  const stats = statSync(place.path, { throwIfNoEntry: false })
  if (stats === undefined) {
    const near = didYouMean(name, [...defaultMutable, 'MEMORY.md'])
    throw new OgError(`File not found: ${name}`, near === '' ? {} : { hint: near })
  }
  if (stats.isFile()) return place
  throw new OgError(`'${name}' is ${stats.isDirectory() ? 'a folder' : 'a device'}, not a file.`)
}

export function fileForName(name: string, now: Date): string {
  return name.trim().toLowerCase() === 'daily' ? `daily/${localTime(now).day}.md` : name
}

const defaultMutable: readonly string[] = ['USER.md', 'AGENTS.md', 'RELATIONS.md']

type Mutable = {
  tiers?: readonly string[] | undefined
  customFiles?: Workspace['customFiles']
  today?: string
}

/**
 * True for a tier that is not mutable, or for a custom file with `mutable: false`. Checks the
 * resolved file rather than the requested name.
 */
export function isAppendOnly({ file }: MemoryFile, mutable: Mutable = {}): boolean {
  const { tiers = defaultMutable, customFiles = [], today } = mutable
  if (file.startsWith('daily/')) return !(tiers.includes('daily') && file === today)
  if (file === 'MEMORY.md' || defaultMutable.includes(file)) return !tiers.includes(file)
  return customFiles.find(({ name }) => name === file)?.mutable === false
}

export async function readMemoryText({ file, path }: MemoryFile): Promise<string> {
  return decodeText(await readFile(path), file)
}

/** Returns a file and its text. If the workspace does not exist yet, returns the seed text. */
export async function readNamed(
  workspace: Workspace,
  name: string,
): Promise<{ file: string; text: string }> {
  const { file } = resolveMemoryFile(workspace, name)
  const seed = isCreated(workspace) ? undefined : seeds[file]
  if (seed !== undefined) return { file, text: seed }
  const place = resolveExistingFile(workspace, name)
  return { file: place.file, text: await readMemoryText(place) }
}

function resolvePath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR') return path
    if (code !== 'ENOENT') throw accessDenied(`Access denied: ${code ?? message}`)
    const parent = dirname(path)
    return parent === path ? path : join(resolvePath(parent), path.slice(parent.length))
  }
}

function accessDenied(message: string): OgError {
  return new OgError(message, { code: 'denied' })
}

/** Returns the canonical spelling of a tier or day on a disk that ignores case. */
function spelling(workspace: Workspace, file: string): string {
  if (!workspace.ignoresCase) return file
  const tier = fixedNames(workspace).find((name) => name.toLowerCase() === file.toLowerCase())
  return tier ?? file.replace(/^daily\//i, 'daily/').replace(/^backups(?=\/|$)/i, 'backups')
}

/** Returns the name of the tier or day that is a link to the file. */
function ownName(workspace: Workspace, file: string): string {
  const names = fixedNames(workspace)
  if (names.includes(file) || file.startsWith('daily/')) return file
  const target = (name: string) => {
    const inside = relative(workspace.path, resolvePath(join(workspace.path, name)))
    return inside.split(sep).join('/')
  }
  const days = target('daily')
  if (file.startsWith(`${days}/`)) return `daily/${file.slice(days.length + 1)}`
  return names.find((name) => target(name) === file) ?? file
}

function fixedNames({ customFiles }: Workspace): string[] {
  return [...Object.keys(seeds), ...customFiles.map(({ name }) => name)]
}

function isPrivate({ ignoresCase }: Workspace, file: string): boolean {
  const first = file.split('/')[0]!
  const isBackup = (ignoresCase ? first.toLowerCase() : first) === 'backups'
  return isBackup || file.split('/').some((part) => part.startsWith('.'))
}

/** Returns the first 12 hexadecimal digits of the SHA-256 of a file's text. */
export function textHash(text: string): string {
  return sha256(text).slice(0, 12)
}
