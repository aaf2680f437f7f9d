import { existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { messageOf, OgError } from '../platform/error.ts'
import { createFile } from '../platform/file/files.ts'
import { canWrite } from '../platform/file/space.ts'
import memory from '../../data/seeds/MEMORY.txt' with { type: 'text' }
import user from '../../data/seeds/USER.txt' with { type: 'text' }
import agents from '../../data/seeds/AGENTS.txt' with { type: 'text' }
import relations from '../../data/seeds/RELATIONS.txt' with { type: 'text' }
import firstRun from '../../data/seeds/FIRST_RUN.txt' with { type: 'text' }
import { sep } from 'node:path'

/** The files of a new workspace, by name. Unchanged seed text is not indexed. */
export const seeds: Readonly<Record<string, string>> = {
  'MEMORY.md': memory,
  'USER.md': user,
  'AGENTS.md': agents,
  'RELATIONS.md': relations,
  'FIRST_RUN.md': firstRun,
}

/** A Markdown file that the settings add to a memory. */
export type CustomFile = {
  /** The file name without a folder, such as `projects.md`. */
  name: string
  description: string
  inject: boolean
  maxChars: number | null
  searchable: boolean
  compactable: boolean
  mutable?: boolean
}

/** A memory: a folder of Markdown files. */
export type Workspace = {
  name: string
  /** Absolute path with symbolic links resolved. */
  path: string
  customFiles: readonly CustomFile[]
  /**
   * True if the file system ignores case, so that `memory.md` is MEMORY.md. False if the folder is
   * missing.
   */
  ignoresCase: boolean
}

type WorkspaceOptions = { root: string; name: string; customFiles?: readonly CustomFile[] }

/**
 * Opens `root/name`. Adds missing seed files and never changes existing files. If the folder is
 * missing, only `createWorkspace` creates it, so that reading creates nothing.
 * @throws OgError if the name is invalid or the folder cannot be opened
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { name, customFiles = [] } = options
  const folder = resolve(options.root, checkName(name))
  for (const { name } of customFiles) checkCustomName(name)
  return orCannotOpen({ name, root: options.root }, async () => {
    const path = realpathOfMissing(folder)
    const isThere = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    if (isThere && (await canWrite(path))) await seed(path, customFiles)
    const workspace = { name, path, customFiles, ignoresCase: isSameFile(path) }
    if (isThere) seeded.add(workspace)
    return workspace
  })
}

export async function createWorkspace(workspace: Workspace): Promise<void> {
  if (seeded.has(workspace)) return
  const { name, path, customFiles } = workspace
  await orCannotOpen({ name, root: dirname(path) }, async () => {
    mkdirSync(path, { recursive: true })
    await seed(path, customFiles)
    workspace.ignoresCase = isSameFile(path)
  })
  seeded.add(workspace)
}

const seeded = new WeakSet<Workspace>()

/** True if a workspace's folder exists. Otherwise, the workspace is empty. */
export function isCreated({ path }: Workspace): boolean {
  return existsSync(path)
}

/** Returns the seed text of a file, or '' if it has none. */
export function textBeforeCreation(name: string): string {
  return seeds[name] ?? ''
}

async function orCannotOpen<T>(
  { name, root }: { name: string; root: string },
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open()
  } catch (cause) {
    if (cause instanceof OgError) throw cause
    throw new OgError(`Cannot open memory "${name}" in ${root}: ${messageOf(cause)}`, {
      hint: 'set GROUNDMEMORY_ROOT_DIR to a folder that og can write',
      cause,
    })
  }
}

function realpathOfMissing(path: string): string {
  const parent = dirname(path)
  const folder = parent === path ? path : join(realpathOfMissing(parent), basename(path))
  if (!isThere(folder)) return folder
  if (!statSync(folder).isDirectory()) throw new Error(`${path} is not a folder`)
  return realpathSync(folder)
}

/**
 * True if bootstrap should introduce memory: FIRST_RUN.md has text, and MEMORY.md and USER.md have
 * no content.
 */
export async function isFirstRun(workspace: Workspace): Promise<boolean> {
  if (!isCreated(workspace)) return true
  const { path } = workspace
  const text = async (name: string) =>
    isOwnFile(path, name) ? readFile(join(path, name), 'utf8').catch(() => '') : ''
  if ((await text('FIRST_RUN.md')).trim() === '') return false
  const untouched = async (name: string) => {
    const content = (await text(name)).trim()
    return content === '' || content === seeds[name]!.trim() || isUpstreamSeed(content)
  }
  return (await untouched('MEMORY.md')) && untouched('USER.md')
}

/** True for the text of one of upstream's seed files: a title and one paragraph. */
function isUpstreamSeed(text: string): boolean {
  return /^# (?:Memory\n\nCurated|User Profile\n\nAdd)[^\n]*(?:\n[^\n#]+)?$/.test(text)
}

async function seed(path: string, customFiles: readonly CustomFile[]): Promise<void> {
  const custom = customFiles.map(({ name }) => [name, ''] as const)
  for (const [name, text] of [...Object.entries(seeds), ...custom]) {
    if (!isThere(join(path, name))) await createFile(join(path, name), text)
  }
}

/** True if a name exists, even as a dangling link. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function isSameFile(path: string): boolean {
  const inode = (name: string) => statSync(join(path, name), { throwIfNoEntry: false })?.ino
  return inode('memory.md') !== undefined && inode('memory.md') === inode('MEMORY.md')
}

/** Device names on Windows, to which a memory may be copied. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** Throws if a name is not a single folder name. */
function checkName(name: string): string {
  const isName = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._ -]{0,99}$/u.test(name) && !/[. ]$/.test(name)
  if (isName && !devices.test(name)) return name
  const quote = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)
  throw new OgError(
    `Cannot use workspace name ${quote}: names have 1-100 letters, digits, "_", "-", "." or ` +
      'spaces, and begin with a letter, a digit or "_"',
  )
}

const reserved = [...Object.keys(seeds), 'daily.md'].map((name) => name.toLowerCase())

function checkCustomName(name: string): void {
  const isName = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._ -]{0,99}\.md$/u.test(name)
  if (isName && !reserved.includes(name.toLowerCase()) && !devices.test(name)) return
  throw new OgError(
    `Cannot use custom file ${JSON.stringify(name)}: it must be a name that ends in ".md", ` +
      'without folders, and none of the tiers',
  )
}

/**
 * True for a regular file of the workspace, or a link to one inside it. False for a link to the
 * outside, and for a pipe, because reading a pipe would block.
 */
export function isOwnFile(folder: string, name: string): boolean {
  const path = join(folder, name)
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isFile()) return true
  if (!stats?.isSymbolicLink()) return false
  const target = realpathOf(path)
  return target !== null && target.startsWith(folder + sep) && statSync(target).isFile()
}

export function realpathOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
