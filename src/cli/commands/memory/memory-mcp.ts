import { loadMemoryConfig } from '../../../config/memory.ts'
import type { MemoryFace } from '../../../mcp/memory/memory-tool.ts'
import { OgError } from '../../../platform/error.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { memoryFlags, type MemoryOptionValues, memoryPlaceOptions } from '../../memory.ts'
import { serveAgent } from '../server/mcp.ts'

export const memoryMcp = command({
  name: 'memory mcp',
  summary: 'serve a memory to an agent over stdin and stdout (MCP)',
  options: {
    ...memoryPlaceOptions,
    'read-only': { type: 'switch', doc: 'offer no tools that write' },
    'for-programs': { type: 'switch', doc: 'offer the tools that "og/memory" calls' },
  },
  examples: ['og memory mcp', 'og memory mcp --root ~/notes --workspace work'],
  async run(context, { 'read-only': readOnly, 'for-programs': forPrograms, ...typed }) {
    if (readOnly && forPrograms) {
      throw new OgError('Option "--for-programs" cannot be used with "--read-only"')
    }
    await serveAgent(context, async () => {
      const { memoryFaceForPrograms, memoryOnlyFace } = await import(
        '../../../mcp/memory/memory-face.ts'
      )
      const faceOf = forPrograms ? memoryFaceForPrograms : memoryOnlyFace
      const memory = await openWatchedMemory(context, typed, { readOnly })
      return { ...memory, face: faceOf(memory.face) }
    })
    return 0
  },
})

/** Opens the memory selected by flags and settings, and watches its files. */
export async function openWatchedMemory(
  context: Context,
  typed: MemoryOptionValues,
  { readOnly }: { readOnly: boolean },
): Promise<AsyncDisposable & { face: MemoryFace }> {
  const { openMemoryFace, watchMemories } = await import('../../../mcp/memory/memory-face.ts')
  const { openMemories } = await import('../../../open-memory.ts')
  const { env, terminal } = context
  await context.guardSignals()
  const flags = memoryFlags({ env }, typed)
  const warn = (line: string) => terminal.note('warning', line)
  const memories = watchMemories(openMemories(await loadMemoryConfig(env, flags), env, warn))
  return {
    face: openMemoryFace(memories, { readOnly }),
    [Symbol.asyncDispose]: () => memories[Symbol.asyncDispose](),
  }
}
