import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Workspace } from './workspace.ts'

/**
 * Returns a path in the hidden folder of a workspace, which has the journal, the lock and the
 * restore stage.
 */
export function privatePath({ path }: Workspace, ...names: string[]): string {
  return join(path, '.og', ...names)
}

/** Returns the files of the journal, oldest first. */
export async function journalNames(workspace: Workspace): Promise<string[]> {
  const names = await readdir(privatePath(workspace, 'journal')).catch(() => [])
  return names.filter((name) => /^\d{4}-\d\d\.jsonl$/.test(name)).sort()
}
