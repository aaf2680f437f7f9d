import { lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OgError } from '../platform/error.ts'
import { createFile } from '../platform/file/files.ts'
import { mayWrite } from '../platform/file/space.ts'
import { isOwnFile } from './memory-files.ts'
import { seeds } from './seeds.ts'

/** A Markdown file that the settings add to the tiers. */
export type CustomFile = {
  /** A name without folders, such as `projects.md`. */
  name: string
  description: string
  inject: boolean
  maxChars: number | null
  searchable: boolean
  compactable: boolean
  /** False for an append-only file. */
  mutable?: boolean
}

/** One memory: a folder of Markdown files. */
export type Workspace = {
  name: string
  /** Absolute path without symbolic links (weakness 31). */
  path: string
  customFiles: readonly CustomFile[]
  /** Whether the file system ignores case, so that `memory.md` is MEMORY.md. */
  ignoresCase: boolean
}

type WorkspaceOptions = { root: string; name: string; customFiles?: readonly CustomFile[] }

/**
 * Opens `root/name`. Creates a missing folder and missing seed files, and never changes existing
 * files.
 * @throws OgError if the name is invalid or the folder cannot be created
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { name, customFiles = [] } = options
  const folder = join(options.root, checkName(name))
  try {
    mkdirSync(folder, { recursive: true })
    const path = realpathSync(folder)
    for (const { name } of customFiles) checkCustomName(name)
    if (await mayWrite(path)) await seed(path, customFiles)
    return { name, path, customFiles, ignoresCase: isSameFile(path) }
  } catch (cause) {
    if (cause instanceof OgError) throw cause
    const { message } = cause as Error
    throw new OgError(`Cannot open memory "${name}" in ${options.root}: ${message}`, { cause })
  }
}

/**
 * Whether bootstrap should still introduce memory: FIRST_RUN.md has text, and MEMORY.md and USER.md
 * have no content, not even by hand (weakness 40).
 */
export async function isFirstRun({ path }: Workspace): Promise<boolean> {
  const text = async (name: string) =>
    isOwnFile(path, name) ? readFile(join(path, name), 'utf8').catch(() => '') : ''
  if ((await text('FIRST_RUN.md')).trim() === '') return false
  const untouched = async (name: string) => {
    const content = (await text(name)).trim()
    return content === '' || content === seeds[name]!.trim() || isUpstreamSeed(content)
  }
  return (await untouched('MEMORY.md')) && untouched('USER.md')
}

/** Whether a text is a seed file of upstream: a title and one paragraph. */
function isUpstreamSeed(text: string): boolean {
  return /^# (?:Memory\n\nCurated|User Profile\n\nAdd)[^\n]*(?:\n[^\n#]+)?$/.test(text)
}

async function seed(path: string, customFiles: readonly CustomFile[]): Promise<void> {
  const custom = customFiles.map(({ name }) => [name, ''] as const)
  for (const [name, text] of [...Object.entries(seeds), ...custom]) {
    if (!isThere(join(path, name))) await createFile(join(path, name), text)
  }
}

/** Whether a name is taken, even by a dangling link, which is probably intended. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function isSameFile(path: string): boolean {
  const inode = (name: string) => statSync(join(path, name), { throwIfNoEntry: false })?.ino
  return inode('memory.md') !== undefined && inode('memory.md') === inode('MEMORY.md')
}

/** Device names of Windows, to which a memory may be copied. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** Checks that a name is a single folder and never a path (weakness 53). */
function checkName(name: string): string {
  const isName = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._ -]{0,99}$/u.test(name) && !/[. ]$/.test(name)
  if (isName && !devices.test(name)) return name
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)
  throw new OgError(
    `Cannot use workspace name ${shown}: names have 1-100 letters, digits, "_", "-", "." or ` +
      'spaces, and begin with a letter, a digit or "_"',
  )
}

const reserved = [...Object.keys(seeds), 'daily.md'].map((name) => name.toLowerCase())

function checkCustomName(name: string): void {
  const isName = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._ -]{0,99}\.md$/u.test(name)
  if (isName && !reserved.includes(name.toLowerCase()) && !devices.test(name)) return
  throw new OgError(
    `Cannot use custom file ${JSON.stringify(name)}: it has to be a name that ends in ".md", ` +
      'without folders, and none of the tiers',
  )
}
