import type { Memories } from '../../open-memory.ts'
import { openKeyCheck } from '../http/http-gate.ts'
import type { Site } from '../http/site.ts'
import { memoryOnlyFace, openMemoryFace } from './memory-face.ts'
import type { MemoryKey } from './memory-keys.ts'
import type { Face } from '../server.ts'

export type MemorySiteOptions = {
  /**
   * Workspaces served at `/mcp/NAME`, the first also at `/mcp`. The workspaces of keys are served
   * too.
   */
  workspaces: readonly string[]
  keys: readonly MemoryKey[]
  readOnly: boolean
}

/** Serves the workspaces of a memory root over HTTP. The path and the key select the workspace. */
export function memorySite(memories: Memories, options: MemorySiteOptions): Site<MemoryKey> {
  const { keys } = options
  const served = servedWorkspaces(options)
  const faces = new Map<string, Face>()
  function faceOf(workspace: string, readOnly: boolean): Face {
    const id = `${readOnly ? 'read' : 'write'} ${workspace}`
    const face = faces.get(id) ?? memoryOnlyFace(openMemoryFace(memories, { workspace, readOnly }))
    faces.set(id, face)
    return face
  }
  return {
    checkKey: openKeyCheck(keys),
    isOpen: keys.length === 0,
    keyHint: 'put one into GROUNDMEMORY_MCP__API_KEY, or name a file of keys by --keys-file',
    faceAt(name, key) {
      const open = key?.workspaces ?? served
      const [first] = open
      const workspace = name === null ? first : open.find((it) => encodeURIComponent(it) === name)
      if (workspace === undefined) return null
      return faceOf(workspace, options.readOnly || key?.readOnly === true)
    },
  }
}

/** Returns all served workspaces; the first one is also at `/mcp`. */
export function servedWorkspaces({ workspaces, keys }: MemorySiteOptions): string[] {
  return [...new Set([...workspaces, ...keys.flatMap((key) => key.workspaces ?? [])])]
}
