import { existsSync, realpathSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Workspace } from './workspace.ts'

/** The files that are indexed and listed, those that exist, by relative path with `/`. */
export async function memoryFiles(workspace: Workspace): Promise<string[]> {
  const { path, customFiles } = workspace
  const days = await dayFiles(workspace)
  const fixed = ['MEMORY.md', 'USER.md', 'AGENTS.md', 'RELATIONS.md']
  const own = customFiles.map(({ name }) => name).filter((name) => !fixed.includes(name))
  const exists = (file: string) => existsSync(join(path, file))
  return [...fixed.filter(exists), ...days, ...own.filter(exists)]
}

/** `daily/YYYY-MM-DD.md`, oldest first. */
export async function dayFiles({ path }: Workspace): Promise<string[]> {
  return (await markdownIn(join(path, 'daily'))).map((name) => `daily/${name}`)
}

/** Every Markdown file in the workspace's own folder, by name, whoever put it there. */
export async function topFiles({ path }: Workspace): Promise<string[]> {
  return markdownIn(path)
}

/** Files; links that lead out of their folder are none of ours. */
async function markdownIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const isOurs = ({ name }: { name: string }) => {
    const target = realpathOf(join(folder, name))
    return target?.startsWith(folder + sep) && statSync(target).isFile()
  }
  return entries
    .filter(({ name }) => name.endsWith('.md') && !name.startsWith('.'))
    .filter((entry) => entry.isFile() || (entry.isSymbolicLink() && isOurs(entry)))
    .map(({ name }) => name)
    .sort()
}

function realpathOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
