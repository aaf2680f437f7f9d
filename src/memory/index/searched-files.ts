import { memoryFiles } from '../memory-files.ts'
import type { Workspace } from '../workspace.ts'

/** A file that is searched: its path in the workspace, with `/`, and upstream's label of it. */
export type SearchedFile = { path: string; source: string }

/** The files of a workspace that search sees. */
export async function searchedFiles(workspace: Workspace): Promise<SearchedFile[]> {
  const paths = (await memoryFiles(workspace)).filter((path) => isSearched(workspace, path))
  return paths.map((path) => ({ path, source: sourceOf(path) }))
}

/** Whether search sees a file: all but the custom files that the user took out of it. */
export function isSearched({ customFiles }: Workspace, path: string): boolean {
  return !customFiles.some(({ name, searchable }) => name === path && !searchable)
}

/** Upstream's label of a memory file: its tier, and `memory` for a custom file. */
export function sourceOf(path: string): string {
  return path.startsWith('daily/') ? 'daily' : (sources[path] ?? 'memory')
}

const sources: Record<string, string> = {
  'MEMORY.md': 'long_term',
  'USER.md': 'user',
  'AGENTS.md': 'agents',
  'RELATIONS.md': 'relations',
}
