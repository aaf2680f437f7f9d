import { loadMemoryConfig } from '../config/memory.ts'
import { readArguments } from '../mcp/arguments.ts'
import { openMemoryFace } from '../mcp/memory-face.ts'
import { programTools, type MemoryTool } from '../mcp/memory/memory-tool.ts'
import { allMemoryTools, listedTools } from '../mcp/memory/memory-tools.ts'
import { toolListing } from '../mcp/server.ts'
import { openMemories } from '../open-memory.ts'
import { messageOf } from '../platform/error.ts'
import type { Envelope, MemoryOptions, MemorySession as Session } from './memory-api.ts'
import { sessionOver } from './session.ts'

export { anthropic, openai } from './adapters.ts'

/** The memory session for Bun programs, in the program's own process. */
export const MemorySession = {
  async create(
    workspace?: string,
    { root, env = process.env }: MemoryOptions = {},
  ): Promise<Session> {
    const config = await loadMemoryConfig(env, { root, workspace })
    const warn = (line: string) => void process.stderr.write(`og: ${line}\n`)
    const memories = openMemories(config, env, warn)
    const memory = { ...openMemoryFace(memories), isForPrograms: true }
    // Opens the session now, so that `create` reports an invalid workspace name.
    await memory.session()
    const all = [...allMemoryTools, ...programTools]
    const byName = new Map(all.map((tool) => [tool.name, tool]))
    const open = (tool: MemoryTool, args: object) => answerOf(tool, { memory }, args)
    return sessionOver({
      tools: listedTools(memory).map(schemaOf),
      async call(name, args) {
        const tool = byName.get(name)
        return tool === undefined ? null : open(tool, args)
      },
      close: async () => memories[Symbol.asyncDispose](),
    })
  },
}

async function answerOf(
  tool: MemoryTool,
  context: Parameters<MemoryTool['answer']>[0],
  args: object,
): Promise<Envelope> {
  const read = readArguments(tool, args as Record<string, unknown>)
  if ('problem' in read) return { status: 'error', message: read.problem }
  return tool
    .answer(context, read.values)
    .catch((error) => ({ status: 'error', message: messageOf(error) }))
}

function schemaOf(tool: MemoryTool) {
  const { name, description, inputSchema } = toolListing(tool)
  return { name, description, inputSchema }
}
