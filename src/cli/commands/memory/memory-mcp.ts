import { loadMemoryConfig } from '../../../config/memory.ts'
import type { MemoryFace } from '../../../mcp/memory/memory-tool.ts'
import { OgError } from '../../../platform/error.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { memoryFlags, type MemoryOptionValues, memoryPlaceOptions } from '../../memory.ts'
import { serveAgent } from '../server/mcp.ts'
import { jsonText } from '../../../platform/json.ts'

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

const shapes = ['openai', 'anthropic', 'mcp']

export const memorySchemas = command({
  name: 'memory schemas',
  summary: 'print the schemas of the memory tools for your own program',
  positionals: { shape: { doc: 'format of the schemas', choices: shapes } },
  examples: ['og memory schemas openai', 'og memory schemas anthropic > tools.json'],
  async run({ terminal }, { shape }) {
    const { allMemoryTools } = await import('../../../mcp/memory/memory-tools.ts')
    const { toolListing } = await import('../../../mcp/server.ts')
    const { anthropic, openai } = await import('../../../program/adapters.ts')
    const listings = allMemoryTools.map(toolListing)
    const tools: Record<string, () => object[]> = {
      openai: () => openai.tools({ tools: listings }),
      anthropic: () => anthropic.tools({ tools: listings }),
      mcp: () => listings,
    }
    await terminal.write(jsonText(tools[shape]!()))
    return 0
  },
})
