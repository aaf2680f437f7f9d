import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Workspace } from './workspace.ts'

export async function memoryFiles(workspace: Workspace): Promise<string[]> {
  const { path, customFiles } = workspace
  const days = await dayFiles(workspace)
  const fixed = ['MEMORY.md', 'USER.md', 'AGENTS.md', 'RELATIONS.md']
  const own = customFiles.map(({ name }) => name).filter((name) => !fixed.includes(name))
  const exists = (file: string) => existsSync(join(path, file))
  return [...fixed.filter(exists), ...days, ...own.filter(exists)]
}

/**
 * Returns the Markdown files in `daily` by name: logs (`YYYY-MM-DD.md`, oldest first) and others.
 */
export async function dayFiles({ path }: Workspace): Promise<string[]> {
  return (await markdownIn(path, 'daily')).map((name) => `daily/${name}`)
}

export async function topFiles({ path }: Workspace): Promise<string[]> {
  return markdownIn(path)
}

/**
 * True if a name is a regular file of the workspace, or a link to one inside it. Links to the
 * outside are refused, and so are pipes, because reading one would block.
 */
export function isOwnFile(folder: string, name: string): boolean {
  const path = join(folder, name)
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isFile()) return true
  if (!stats?.isSymbolicLink()) return false
  const target = realpathOf(path)
  return target !== null && target.startsWith(folder + sep) && statSync(target).isFile()
}

async function markdownIn(workspace: string, folder = ''): Promise<string[]> {
  const target = realpathOf(join(workspace, folder))
  if (target === null || !`${target}${sep}`.startsWith(workspace + sep)) return []
  const names = await readdir(target).catch(() => [])
  return names
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
    .filter((name) => isOwnFile(workspace, join(folder, name)))
    .sort()
}

function realpathOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
