import { memoryFiles } from '../memory-files.ts'
import type { Workspace } from '../workspace.ts'

export type SearchedFile = { path: string; source: string }

export async function searchedFiles(workspace: Workspace): Promise<SearchedFile[]> {
  const paths = (await memoryFiles(workspace)).filter((path) => isSearched(workspace, path))
  return paths.map((path) => ({ path, source: sourceLabel(path) }))
}

export function isSearched({ customFiles }: Workspace, path: string): boolean {
  return !customFiles.some(({ name, searchable }) => name === path && !searchable)
}

/** Returns upstream's label for a memory file: its tier, or `memory` for a custom file. */
export function sourceLabel(path: string): string {
  return path.startsWith('daily/') ? 'daily' : (sources[path] ?? 'memory')
}

const sources: Record<string, string> = {
  'MEMORY.md': 'long_term',
  'USER.md': 'user',
  'AGENTS.md': 'agents',
  'RELATIONS.md': 'relations',
}
