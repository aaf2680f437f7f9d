import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MemoryKey } from '../../../src/mcp/team/memory-keys.ts'
import { openMemoryHome, type MemoryHome } from '../memory/mcp-memory.ts'
import { homePaths } from '../run/home-paths.ts'
import type { SiteMemory } from '../../../src/web/visit.ts'

/** Memories for the web page, in a temporary home and without embeddings. */
export type ShownHome = AsyncDisposable & {
  home: MemoryHome
  shown: SiteMemory
  /** Writes a file of a workspace, as a person would with an editor. */
  put(file: string, text: string, workspace?: string): void
}

type Shown = { workspaces?: readonly string[]; keys?: readonly MemoryKey[] }

export async function openShownHome({
  workspaces = ['default'],
  keys = [],
}: Shown = {}): Promise<ShownHome> {
  const home = await openMemoryHome()
  const memories = await home.memories()
  return {
    home,
    shown: { memories, keys, workspaces: async () => [...workspaces] },
    put(file, text, workspace = 'default') {
      const folder = join(home.path, homePaths.memory, workspace)
      mkdirSync(join(folder, 'daily'), { recursive: true })
      writeFileSync(join(folder, file), text)
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  }
}
