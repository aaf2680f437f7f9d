import { existsSync } from 'node:fs'
import { lstat, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { messageOf } from '../platform/error.ts'
import { lockFiles, packageJson, type LockFile, toml, versionsIn } from './lock-file.ts'
import { readTextFile } from '../platform/file/read-file.ts'
import { objectOf, parseJsonOrUndefined } from '../platform/json.ts'

/** A version from a file of the project. */
export type Pin = {
  /** The name as spelled in the file: `react-dom`, `@vue/core`, `github.com/gin-gonic/gin`. */
  package: string
  /** A version, or a range if no lock file has a version. */
  named: string
  file: string
}

export type ProjectPins = {
  /** Pins, nearest folder first. Within a folder, lock files precede manifests. */
  pins: readonly Pin[]
  warnings: readonly string[]
}

/**
 * Returns the package versions in the lock files and manifests of the project around a folder.
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
  isWanted: (lock: LockFile) => boolean,
): Promise<ProjectPins> {
  const cwd = await realpath(folder).catch(() => folder)
  const project: PinsSoFar = { pins: [], warnings: [], share: 0 }
  for (const member of await memberFolders(cwd)) {
    for (const lock of lockFiles.filter(isWanted)) {
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
  // Without a repository, the project's extent is unknown, so search only the folder itself.
  return existsSync(join(folders.at(-1)!, '.git')) ? folders : folders.slice(0, 1)
}

type PinsSoFar = { pins: Pin[]; warnings: string[]; share: number }

type Reading = { at: string; cwd: string; project: PinsSoFar }

/** Limit for `share`. A query waits for the files of all nested folders. */
const maxShare = 2

async function readLock(lock: LockFile, { at, cwd, project }: Reading): Promise<void> {
  const path = join(at, lock.name)
  const file = relative(cwd, path)
  const text = await readText(path, lock.limitMb, project)
  if (text === null) return
  if (text instanceof Error) {
    project.warnings.push(`cannot read versions from ${file}: ${text.message}`)
    return
  }
  const ranges = lock.name === 'yarn.lock' ? await rangesBeside(path) : new Map<string, string>()
  const below = relative(at, cwd).split(sep).join('/')
  const named = await versionsIn(lock, text, { below, ranges }).catch((error: unknown) => {
    const [line = ''] = messageOf(error).split('\n')
    project.warnings.push(`cannot read versions from ${file}: ${line}`)
    return []
  })
  for (const [name, version] of named) project.pins.push({ package: name, named: version, file })
}

/** Returns the text of a file, the error if it is unreadable, or null if it does not exist. */
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
  // The error of a broken package.json is reported when that file is read itself.
  return new Map(await read().catch(() => []))
}

/** Maximum number of folders for one pattern. */
const maxMembers = 5_000

/**
 * Returns the member folders of a folder's workspace as its manifests name them, relative and
 * `/`-separated. Skips links, hidden folders, `node_modules` and folders outside the workspace.
 */
export async function memberFolders(folder: string): Promise<string[]> {
  const found = new Set<string>()
  for (const [name, patternsIn] of Object.entries(workspaceFiles)) {
    const text = await readTextFile(join(folder, name), { limitMb: 2 }).catch(() => null)
    if (text === null) continue
    // The error of an invalid file is reported when its dependencies are read.
    const patterns = await Promise.try(patternsIn, text).catch(() => [])
    const excluded = new Set<string>()
    for (const pattern of patterns.filter((it) => it.startsWith('!'))) {
      for (const member of await expand(pattern.slice(1), folder)) excluded.add(member)
    }
    for (const pattern of patterns.filter((it) => !it.startsWith('!'))) {
      for (const member of await expand(pattern, folder))
        if (!excluded.has(member)) found.add(member)
    }
  }
  return [...found].sort()
}

const workspaceFiles: Readonly<Record<string, (text: string) => Promise<string[]> | string[]>> = {
  'package.json'(text) {
    const { workspaces } = objectOf(parseJsonOrUndefined(text))
    return texts(Array.isArray(workspaces) ? workspaces : objectOf(workspaces).packages)
  },
  'pnpm-workspace.yaml'(text) {
    const [, list = ''] = /^packages:[ \t]*\r?\n((?:[ \t]*(?:-.*|#.*)?\r?\n?)*)/m.exec(text) ?? []
    return Array.from(list.matchAll(/^[ \t]*-[ \t]*["']?([^"'#\s]+)/gm), ([, item]) => item!)
  },
  'Cargo.toml': async (text) => membersOf((await toml(text)).workspace),
  'pyproject.toml': async (text) =>
    membersOf(objectOf(objectOf(objectOf((await toml(text)).tool).uv).workspace)),
  'go.work'(text) {
    const uncommented = text.replace(/\/\/.*/g, '')
    const [, block = ''] = /^use[ \t]*\(([^()]*)\)/m.exec(uncommented) ?? []
    const single = uncommented.matchAll(/^use[ \t]+([^(\s]+)/gm)
    return [...block.split(/\s+/), ...Array.from(single, ([, path]) => path!)].filter(Boolean)
  },
  'pom.xml': (text) => Array.from(text.matchAll(/<module>\s*([^<\s]+)/g), ([, path]) => path!),
  'settings.gradle': gradleModules,
  'settings.gradle.kts': gradleModules,
}

function membersOf(workspace: unknown): string[] {
  const { members, exclude } = objectOf(workspace)
  return [...texts(members), ...texts(exclude).map((pattern) => `!${pattern}`)]
}

function gradleModules(text: string): string[] {
  const [, ...calls] = text.split(/^[ \t]*include\b(?=[ \t(])/m)
  return calls.flatMap((call) => {
    const list = call.trimStart().startsWith('(') ? call.split(')', 1)[0]! : call.split('\n', 1)[0]!
    const paths = list.matchAll(/["']:?([^"'\n]+)["']/g)
    return Array.from(paths, ([, path]) => path!.replaceAll(':', '/'))
  })
}

function texts(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : []
}

/** Returns the folders that match a pattern, without links. */
async function expand(pattern: string, top: string): Promise<string[]> {
  const parts = pattern.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.length === 0 || parts.includes('..')) return []
  const folders: string[] = []
  for await (const path of new Bun.Glob(parts.join('/')).scan({ cwd: top, onlyFiles: false })) {
    const isLeftOut = /(?:^|\/)node_modules(?:\/|$)/.test(path)
    const stats = isLeftOut ? null : await lstat(join(top, path)).catch(() => null)
    if (stats?.isDirectory()) folders.push(path)
    if (folders.length === maxMembers) break
  }
  return folders
}

/** The origin of a version that the user did not type: the project file with a similar version. */
export type VersionFrom = {
  library: string
  version: string
  package: string
  named: string
  file: string
}
