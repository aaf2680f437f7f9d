import { loadMemoryConfig } from '../../config/memory.ts'
import type { MemoryFace } from '../../mcp/memory-tool.ts'
import { OgError } from '../../platform/error.ts'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { serveAgent } from './mcp.ts'

/** What says which memory is meant, wherever one is. */
export const memoryPlace = {
  root: { type: 'text', placeholder: 'DIR', doc: 'folder of all workspaces' },
  workspace: { type: 'text', placeholder: 'NAME', doc: 'workspace, a folder of the root' },
} as const

export const memoryMcp = command({
  name: 'memory mcp',
  summary: 'serve a memory to an agent over stdin and stdout (MCP)',
  details: [
    'Agents start this command themselves. Its tools are described in docs/mcp.md, its settings ' +
      '(GROUNDMEMORY_*) in docs/memory.md. It ends when its stdin does.',
  ],
  positionals: {},
  options: {
    ...memoryPlace,
    'read-only': { type: 'switch', doc: 'offer no tool that writes' },
    'for-programs': { type: 'switch', doc: 'answer all that "og/memory" calls' },
  },
  examples: ['og memory mcp', 'og memory mcp --root ~/notes --workspace work'],
  async run(context, { root, workspace, ...options }) {
    const { 'read-only': readOnly, 'for-programs': forPrograms } = options
    if (readOnly && forPrograms) {
      throw new OgError('Option "--for-programs" does not go with "--read-only"')
    }
    await serveAgent(context, async () => {
      const { memoryForProgram, memoryOnly } = await import('../../mcp/memory-face.ts')
      const faceOf = forPrograms ? memoryForProgram : memoryOnly
      const memory = await openMemoryFor(context, { root, workspace, readOnly })
      return { ...memory, face: faceOf(memory.face) }
    })
    return 0
  },
})

type Place = { root: string | null; workspace: string | null; readOnly: boolean }

/** The memory that flags and settings name, watched. */
export async function openMemoryFor(
  { env, terminal }: Context,
  { root, workspace, readOnly }: Place,
): Promise<AsyncDisposable & { face: MemoryFace }> {
  const { openMemoryFace, watching } = await import('../../mcp/memory-face.ts')
  const { openMemories } = await import('../../open-memory.ts')
  const flags = { root: root ?? undefined, workspace: workspace ?? undefined }
  const warn = (line: string) => terminal.note('warning', line)
  const memories = watching(openMemories(await loadMemoryConfig(env, flags), env, warn))
  return {
    face: openMemoryFace(memories, { readOnly }),
    [Symbol.asyncDispose]: () => memories[Symbol.asyncDispose](),
  }
}
