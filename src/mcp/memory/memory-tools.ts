import { memoryDispatcherTool } from './memory-dispatcher.ts'
import { memoryDecideTool, memoryInboxTool } from './memory-program-tools.ts'
import { memoryBootstrapTool, memoryListTool, memoryReadTool } from './memory-read-tools.ts'
import type { MemoryFace, MemoryTool } from './memory-tool.ts'
import { memoryCompactTool, memoryRelateTool, memoryWriteTool } from './memory-write-tools.ts'
import { OgError } from '../../platform/error.ts'
import { bindTools, type Call, type Tool } from '../tool.ts'

/**
 * All memory tools for agents. docs/reference/mcp.md and the adapters for programs use this list.
 */
export const allMemoryTools: readonly MemoryTool[] = [
  memoryBootstrapTool,
  memoryReadTool,
  memoryWriteTool,
  memoryRelateTool,
  memoryListTool,
  memoryCompactTool,
  memoryDispatcherTool,
]

export function memoryTools(memory: MemoryFace): Tool<Call>[] {
  return bindTools(listedTools(memory), { memory })
}

export function listedTools(memory: MemoryFace): MemoryTool[] {
  if (memory.dispatcherMode) return [memoryDispatcherTool]
  const listed = [
    memoryBootstrapTool,
    memoryReadTool,
    memoryWriteTool,
    memoryRelateTool,
    ...(memory.exposeMemoryList ? [memoryListTool] : []),
    ...(memory.hasCompactionThreshold ? [memoryCompactTool] : []),
    ...(memory.hasInbox ? [memoryInboxTool, memoryDecideTool] : []),
  ]
  return listed.filter(({ annotations }) => !memory.readOnly || annotations.readOnlyHint)
}

/**
 * Returns tools that can be called but are not listed. If memory_compact is off, a call returns an
 * error that says which setting enables it.
 */
export function unlistedTools(memory: MemoryFace): Tool<Call>[] {
  const isOff = !memory.hasCompactionThreshold && !memory.dispatcherMode && !memory.readOnly
  return isOff ? bindTools([{ ...memoryCompactTool, run: refuseToCompact }], { memory }) : []
}

async function refuseToCompact(): Promise<never> {
  throw new OgError('memory_compact is off: no threshold for compaction is set', {
    hint:
      'the person who started the server sets bootstrap.compaction_token_threshold ' +
      '(GROUNDMEMORY_BOOTSTRAP__COMPACTION_TOKEN_THRESHOLD) to a number of tokens, such as ' +
      '8000, or runs "og memory compact"',
  })
}
