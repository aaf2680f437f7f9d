import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Workspace } from '../workspace.ts'

export type Backup = {
  /**
   * `YYYY-MM-DD_HHmmss` in local time. If several backups have the same second, a suffix `-2`,
   * `-3`, … follows.
   */
  name: string
  path: string
}

export async function listBackups(workspace: Workspace): Promise<Backup[]> {
  const folder = backupFolder(workspace)
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name.endsWith('.zip') && !name.startsWith('.'))
    .map((name) => name.slice(0, -'.zip'.length))
    .sort(byTime)
    .reverse()
    .map((name) => ({ name, path: join(folder, `${name}.zip`) }))
}

/**
 * Finds backups by `-1` (newest), `-2` (second newest), a name or the beginning of a name. Returns
 * several backups if several names have this beginning.
 */
export async function findBackups(workspace: Workspace, spec: string): Promise<Backup[]> {
  const all = await listBackups(workspace)
  const back = /^-(\d+)$/.exec(spec)?.[1]
  if (back !== undefined) return Number(back) === 0 ? [] : all.slice(Number(back) - 1, Number(back))
  const exact = all.filter(({ name }) => name === spec)
  return exact.length > 0 || spec === '' ? exact : all.filter(({ name }) => name.startsWith(spec))
}

export function backupFolder({ path }: Workspace): string {
  return join(path, 'backups')
}

function byTime(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}
