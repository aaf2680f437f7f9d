import { loadMemoryConfig, type MemoryConfig } from '../../../config/memory.ts'
import type { SiteMemory } from '../../../web/memory/site-memory.ts'
import type { Context } from '../../context.ts'
import { OgError } from '../../../platform/error.ts'
import { isOwnClient } from '../../../platform/web/peer-user.ts'
import { workspacesOf } from '../../memory.ts'
import { readMemoryKeys } from '../memory/memory-serve.ts'

type ShownMemory = SiteMemory & AsyncDisposable

type MemoryEnvironment = Pick<Context, 'env' | 'guardSignals'> & { warn(line: string): void }

/**
 * The memories that the page shows, according to memory's own settings: the configured workspaces,
 * else all in the root, with the keys that open them.
 */
export async function openShownMemory(surrounding: MemoryEnvironment): Promise<ShownMemory> {
  return await siteMemoryOf(await loadMemoryConfig(surrounding.env), surrounding)
}

async function siteMemoryOf(
  config: MemoryConfig,
  { env, warn, guardSignals }: MemoryEnvironment,
): Promise<ShownMemory> {
  const { watchMemories } = await import('../../../mcp/memory/memory-face.ts')
  const { openMemories } = await import('../../../open-memory.ts')
  const keys = await readMemoryKeys(config, config.mcp.keysFile)
  await guardSignals()
  const memories = watchMemories(openMemories(config, env, warn))
  const served = config.mcp.workspaces
  return {
    memories,
    keys,
    workspaces: async () =>
      served.length > 0
        ? [...served]
        : [...new Set([config.workspace, ...(await workspacesOf(config.root))])],
    [Symbol.asyncDispose]: () => memories[Symbol.asyncDispose](),
  }
}

/**
 * Opens existing memories read-only, for programs of the same user. Returns null if there are none.
 * If memory's settings are invalid, it warns and returns null, and documentation is still served.
 */
export async function openMemoryToRead(
  surrounding: MemoryEnvironment,
): Promise<ShownMemory | null> {
  const { env, warn } = surrounding
  try {
    const config = await loadMemoryConfig(env)
    const { root, mcp } = config
    const workspaces = async () => {
      const there = await workspacesOf(root)
      return mcp.workspaces.length === 0
        ? there
        : mcp.workspaces.filter((name) => there.includes(name))
    }
    if ((await workspaces()).length === 0) return null
    return { ...(await siteMemoryOf(config, surrounding)), workspaces, isReader: isOwnClient }
  } catch (error) {
    if (!(error instanceof OgError)) throw error
    warn(`memory is not shown: ${error.message}`)
    return null
  }
}
