import { existsSync } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { messageOf } from '../platform/error.ts'
import { lockFiles, packageJson, type LockFile } from './lock-file.ts'
import { memberFolders } from './workspace-members.ts'

/** A version that a file of the project contains. */
export type Pin = {
  /** The name as spelled in the file: `react-dom`, `@vue/core`, `github.com/gin-gonic/gin`. */
  package: string
  /** A version, or a range if no lock file has one. */
  named: string
  file: string
}

export type ProjectPins = {
  /** Pins of the nearest folder first; within a folder, lock files precede manifests. */
  pins: readonly Pin[]
  warnings: readonly string[]
}

/**
 * Returns the package versions of the project around a folder, from its lock files and manifests.
 * Searches the folder and its ancestors up to the one with `.git`. The home folder and the folders
 * above it are not projects. Executes no file of a project.
 */
export async function readProjectPins(folder: string, home: string): Promise<ProjectPins> {
  const cwd = await realpath(folder).catch(() => folder)
  const real = await realpath(home).catch(() => home)
  const project: PinsSoFar = { pins: [], warnings: [], share: 0 }
  for (const at of foldersOf(cwd, real)) {
    for (const lock of lockFiles) await readLock(lock, { at, cwd, project })
  }
  return project
}

export async function readMemberPins(
  folder: string,
  isWanted: (name: string) => boolean,
): Promise<ProjectPins> {
  const cwd = await realpath(folder).catch(() => folder)
  const project: PinsSoFar = { pins: [], warnings: [], share: 0 }
  for (const member of await memberFolders(cwd)) {
    for (const lock of lockFiles) {
      if (isWanted(basename(lock.name)))
        await readLock(lock, { at: join(cwd, member), cwd, project })
    }
  }
  return project
}

const maxFolders = 40

function foldersOf(cwd: string, home: string): string[] {
  const folders: string[] = []
  for (let at = cwd; folders.length < maxFolders; at = dirname(at)) {
    const isAbove = at === home || home.startsWith(`${at}${sep}`) || at === dirname(at)
    if (isAbove && at !== cwd) break
    folders.push(at)
    if (isAbove || existsSync(join(at, '.git'))) break
  }
  // Without a repository, the extent of the project is unknown, so og searches only the folder
  // itself.
  return existsSync(join(folders.at(-1)!, '.git')) ? folders : folders.slice(0, 1)
}

type PinsSoFar = { pins: Pin[]; warnings: string[]; share: number }

type Reading = { at: string; cwd: string; project: PinsSoFar }

/**
 * Limit of `share`: nested folders may each have large files, and a query waits for all of them.
 */
const maxShare = 2

async function readLock(lock: LockFile, { at, cwd, project }: Reading): Promise<void> {
  const path = join(at, lock.name)
  const file = relative(cwd, path)
  const text = await readText(path, lock.limitMb, project)
  if (text === null) return
  if (text instanceof Error) {
    project.warnings.push(`no versions are read from ${file}: ${text.message}`)
    return
  }
  const ranges = lock.name === 'yarn.lock' ? await rangesBeside(path) : new Map<string, string>()
  const below = relative(at, cwd).split(sep).join('/')
  const parse = async () => lock.parse(text, { below, ranges })
  const named = await parse().catch((error: unknown) => {
    const [line = ''] = messageOf(error).split('\n')
    project.warnings.push(`no versions are read from ${file}: ${line}`)
    return []
  })
  for (const [name, version] of named) project.pins.push({ package: name, named: version, file })
}

/** Returns the text of a file, or the error if it cannot be read; null if it does not exist. */
async function readText(
  path: string,
  limitMb: number,
  read: Pick<PinsSoFar, 'share'>,
): Promise<string | Error | null> {
  const stats = await stat(path).catch(() => null)
  if (stats === null) return null
  if (!stats.isFile()) return new Error('it is not a file')
  const mb = stats.size / 2 ** 20
  if (mb > limitMb) return new Error(`it is ${Math.ceil(mb)} MB, limit is ${limitMb} MB`)
  if (read.share + mb / limitMb > maxShare) return new Error('the files before it are too large')
  read.share += mb / limitMb
  return await readFile(path, 'utf8').catch((error: Error) => error)
}

async function rangesBeside(path: string): Promise<Map<string, string>> {
  const text = await readText(join(dirname(path), 'package.json'), 2, { share: 0 })
  const read = async () => (typeof text === 'string' ? packageJson(text) : [])
  // A broken package.json is reported when it is itself read.
  return new Map(await read().catch(() => []))
}
