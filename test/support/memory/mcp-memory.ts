import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { loadMemoryConfig } from '../../../src/config/memory.ts'
import { memoryOnlyFace, openMemoryFace, watchMemories } from '../../../src/mcp/memory-face.ts'
import type { MemoryContext } from '../../../src/mcp/memory/memory-tool.ts'
import type { Call } from '../../../src/mcp/tool.ts'
import { openMemories, type Memories } from '../../../src/open-memory.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { connectRaw, type RawClient } from '../mcp.ts'
import { homePaths } from '../run/home-paths.ts'

/** A home with memories and clients of servers over them. */
export type MemoryHome = AsyncDisposable & {
  path: string
  /** Absolute path of a file of the workspace `default`. */
  file(name: string): string
  memories(settings?: Record<string, string>): Promise<Memories>
  /** Returns the context of tools without a server. */
  context(options?: Connection): Promise<MemoryContext & Call>
  connect(options?: Connection): Promise<MemoryClient>
}

export type Connection = {
  /** Setting names without `GROUNDMEMORY_`. */
  settings?: Record<string, string>
  workspace?: string
  readOnly?: boolean
}

export type MemoryClient = RawClient & {
  /** Returns the envelope of a call, or the message if the call fails. */
  ask(name: string, given?: object): Promise<any>
}

/**
 * Opens a home without embeddings, unless `settings` say otherwise. Its workspace `default` exists.
 */
export async function openMemoryHome(): Promise<MemoryHome> {
  const temp = await createTempFolder('og mcp memory')
  mkdirSync(join(temp.path, homePaths.memory, 'default'), { recursive: true })
  const opened = new AsyncDisposableStack()
  opened.use(temp)
  async function memories(settings: Record<string, string> = {}): Promise<Memories> {
    const named = Object.entries(settings).map(([key, value]) => [`GROUNDMEMORY_${key}`, value])
    const env = {
      HOME: temp.path,
      GROUNDMEMORY_EMBEDDING__PROVIDER: 'none',
      ...Object.fromEntries(named),
    }
    return opened.use(watchMemories(openMemories(await loadMemoryConfig(env), env, () => {})))
  }
  return {
    path: temp.path,
    file: (name) => join(temp.path, homePaths.memory, 'default', name),
    memories,
    async context({ settings, ...rights } = {}) {
      const { signal } = new AbortController()
      const memory = openMemoryFace(await memories(settings), rights)
      return { memory, signal, report() {} }
    },
    async connect({ settings, ...rights } = {}) {
      const face = memoryOnlyFace(openMemoryFace(await memories(settings), rights))
      const client = await connectRaw(face)
      opened.defer(() => client.end())
      return {
        ...client,
        async ask(name, given = {}) {
          const { isError, content, structuredContent } = await client.call(name, given)
          return isError ? content[0].text : structuredContent
        },
      }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
