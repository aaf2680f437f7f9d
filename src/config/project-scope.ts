import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { sha256 } from '../platform/hash.ts'

/** The git repository of a folder, and the name of the workspace for its memory. */
export type ProjectScope = { folder: string; workspace: string }

/**
 * Finds the project of a folder: the git working tree that contains it. All worktrees of a
 * repository have the workspace of its main folder. Returns null outside of a repository, and in
 * one that is the home folder or contains it. The name depends only on paths: a repository's own
 * files must not choose which memory is read and written.
 */
export function findProject(from: string, home: string): ProjectScope | null {
  const [start, top] = [realpathOrSelf(from), realpathOrSelf(home)]
  for (let at = start; dirname(at) !== at; at = dirname(at)) {
    if (at === top || top.startsWith(join(at, '/'))) return null
    if (!existsSync(join(at, '.git'))) continue
    const folder = mainFolder(at)
    return { folder, workspace: workspaceName(folder) }
  }
  return null
}

/**
 * The main folder of the repository of a worktree; the folder itself if it is no worktree. `.git`
 * of a worktree is a file that anyone can write, so the repository has to list the worktree too.
 */
function mainFolder(folder: string): string {
  const git = join(folder, '.git')
  const own = readLine(git)?.match(/^gitdir: (.+)$/)?.[1]
  if (own === undefined) return folder
  const state = realpathOrSelf(resolve(folder, own))
  const shared = readLine(join(state, 'commondir'))
  const back = readLine(join(state, 'gitdir'))
  if (shared === null || back === null) return folder
  const repository = realpathOrSelf(resolve(state, shared))
  const isListed = dirname(dirname(state)) === repository
  const isOwn = realpathOrSelf(resolve(state, back)) === git
  if (!isListed || !isOwn) return folder
  return basename(repository) === '.git' ? dirname(repository) : repository
}

/** The first line of a small file; null if it is missing or no file. */
function readLine(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.size > 8_192) return null
  try {
    return readFileSync(path, 'utf8').split('\n')[0]!.trim()
  } catch {
    return null
  }
}

function workspaceName(folder: string): string {
  const name = basename(folder)
    .normalize()
    .replace(/[^\p{L}\p{N}_.-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}_]+/u, '')
  return `${[...name].slice(0, 60).join('') || 'project'}-${sha256(folder).slice(0, 8)}`
}

function realpathOrSelf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
