import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { siteConfigsAt } from '../page/generator/generators.ts'
import { isExcludedFolder } from './select/select.ts'

/**
 * The paths of files above a folder that may configure the site of its pages. Searches the
 * ancestors of the folder and their other subfolders. `below` and the returned paths are relative
 * to the working tree.
 */
export async function configsAbove(top: string, below: string): Promise<string[]> {
  if (below === '') return []
  const parts = below.split('/')
  const configs: string[] = []
  const budget = { left: folderLimit }
  for (let depth = parts.length - 1; depth >= 0; depth--) {
    const folder = parts.slice(0, depth).join('/')
    const beside = await configsIn(top, folder, budget)
    configs.push(...beside.configs)
    for (const other of beside.folders) {
      if (other === parts.slice(0, depth + 1).join('/')) continue
      configs.push(...(await configsIn(top, other, budget)).configs)
    }
  }
  return configs
}

/** Maximum number of folders that are listed to find configuration files. */
const folderLimit = 300

async function configsIn(
  top: string,
  folder: string,
  budget: { left: number },
): Promise<{ configs: string[]; folders: string[] }> {
  const listed: { configs: string[]; folders: string[] } = { configs: [], folders: [] }
  if (budget.left-- <= 0) return listed
  const entries = await readdir(join(top, folder), { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isFile() && siteConfigsAt(path).length > 0) listed.configs.push(path)
    if (!entry.isDirectory()) continue
    if (isConfigFolder(entry.name)) {
      listed.configs.push(...(await configsBelow(join(top, path), path)))
    } else if (!isExcludedFolder(entry.name)) listed.folders.push(path)
  }
  return listed
}

/** Whether a hidden folder, such as `.vitepress`, contains a configuration file. */
export function isConfigFolder(name: string): boolean {
  return (
    name.startsWith('.') &&
    ['config.ts', 'config.mts', 'config.js'].some((file) => {
      return siteConfigsAt(`${name}/${file}`).length > 0
    })
  )
}

export async function configsBelow(folder: string, path: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const configs = names
    .map((name) => `${path}/${name}`)
    .filter((it) => siteConfigsAt(it).length > 0)
  const files = await Promise.all(
    configs.map(async (it) => {
      const stats = await lstat(join(folder, it.slice(path.length + 1))).catch(() => null)
      return stats?.isFile() ? [it] : []
    }),
  )
  return files.flat()
}

/** The paths of the files below a folder on disk, in at most 20,000 folders. */
export async function filesBelow(top: string): Promise<string[]> {
  const folders = ['']
  const files: string[] = []
  for (let at = 0; at < Math.min(folders.length, 20_000); at++) {
    const folder = folders[at]!
    const entries = await readdir(join(top, folder), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isFile()) files.push(path)
      else if (entry.isDirectory() && !isExcludedFolder(entry.name)) folders.push(path)
    }
  }
  return files
}
