import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The names of the workspaces in a root. */
export async function workspacesOf(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
  return entries
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('.') && existsSync(join(root, name, 'MEMORY.md')))
    .sort()
}
