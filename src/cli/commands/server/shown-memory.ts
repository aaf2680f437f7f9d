import { loadMemoryConfig } from '../../../config/memory.ts'
import type { SiteMemory } from '../../../web/memory/site-memory.ts'
import type { Context } from '../../context.ts'
import { workspacesOf } from '../../workspaces.ts'
import { readMemoryKeys } from '../memory/memory-serve.ts'

type Surrounding = Pick<Context, 'env' | 'guardSignals'> & { warn(line: string): void }

/**
 * The memories that the page shows, by memory's own settings: the workspaces that they name to be
 * served, else all of the root; and the keys that open them.
 */
export async function openShownMemory(
  { env, warn, guardSignals }: Surrounding,
): Promise<SiteMemory & AsyncDisposable> {
  const { watching } = await import('../../../mcp/memory/memory-face.ts')
  const { openMemories } = await import('../../../open-memory.ts')
  const config = await loadMemoryConfig(env)
  const keys = await readMemoryKeys(config, config.mcp.keysFile)
  await guardSignals()
  const memories = watching(openMemories(config, env, warn))
  const served = config.mcp.workspaces
  return {
    memories,
    keys,
    workspaces: async () => served.length > 0
      ? [...served]
      : [...new Set([config.workspace, ...await workspacesOf(config.root)])],
    [Symbol.asyncDispose]: () => memories[Symbol.asyncDispose](),
  }
}
