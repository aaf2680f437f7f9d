import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createWorkspace, isCreated } from '../memory/workspace.ts'
import type { Memories } from '../open-memory.ts'
import { programTools, type MemoryFace } from './memory/memory-tool.ts'
import { allMemoryTools, memoryTools, unlistedTools } from './memory/memory-tools.ts'
import type { Face } from './server.ts'
import { bindTools } from './tool.ts'

/**
 * Opens the memory of a connection with its rights. The default workspace is the one in the
 * settings.
 */
export function openMemoryFace(
  memories: Memories,
  { workspace = memories.config.workspace, readOnly = false } = {},
): MemoryFace {
  const { root, exposeMemoryList, dispatcherMode, settings } = memories.config
  return {
    session: () => memories.session(workspace),
    root,
    workspace,
    readOnly,
    isForPrograms: false,
    dispatcherMode,
    exposeMemoryList,
    hasCompactionThreshold: settings.bootstrap.compactionTokenThreshold > 0,
    hasInbox: existsSync(join(root, workspace, 'INBOX.md')),
  }
}

export function memoryOnlyFace(memory: MemoryFace): Face {
  const tools = memoryTools(memory)
  return { og: null, memory, tools, unlisted: unlistedTools(memory), countCall: () => {} }
}

/**
 * Creates a memory server for programs. It also answers tools that agents do not see, and creates a
 * missing workspace, as upstream's sessions do.
 */
export function memoryFaceForPrograms(memory: MemoryFace): Face {
  const created: MemoryFace = {
    ...memory,
    isForPrograms: true,
    async session() {
      const session = await memory.session()
      await createWorkspace(session.workspace)
      return session
    },
  }
  const unlisted = bindTools([...allMemoryTools, ...programTools], { memory: created })
  return { ...memoryOnlyFace(created), unlisted }
}

export function addMemory(face: Face, memory: MemoryFace): Face {
  const names = new Set(face.tools.map(({ name }) => name))
  return {
    ...face,
    memory,
    tools: [...face.tools, ...memoryTools(memory)],
    unlisted: [...(face.unlisted ?? []), ...unlistedTools(memory)],
    countCall(name) {
      // Upstream's statistics cover only its documentation tools.
      if (names.has(name)) face.countCall(name)
    },
  }
}

/**
 * Watches the files of each existing workspace after its first use, so that manual edits are
 * indexed immediately.
 */
export function watchMemories(memories: Memories): Memories {
  const watchers = new Map<string, Disposable>()
  return {
    config: memories.config,
    async session(name = memories.config.workspace) {
      const session = await memories.session(name)
      const isWatchable = !watchers.has(name) && isCreated(session.workspace)
      if (isWatchable) watchers.set(name, session.search.watch())
      return session
    },
    async [Symbol.asyncDispose]() {
      for (const watcher of watchers.values()) watcher[Symbol.dispose]()
      await memories[Symbol.asyncDispose]()
    },
  }
}
