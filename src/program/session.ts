import type { Envelope, MemorySession, ToolSchema } from './memory-api.ts'

export type Link = {
  tools: readonly ToolSchema[]
  call(name: string, args: object): Promise<Envelope | null>
  close(): Promise<void>
}

/**
 * Creates a session over a link. Every operation is a tool call, so that both kinds of links return
 * the same results.
 */
export function sessionOver({ tools, call, close }: Link): MemorySession {
  async function executeTool(name: string, args: object = {}): Promise<Envelope> {
    const answer = await call(name, args)
    if (answer !== null) return answer
    const there = tools.map((tool) => `'${tool.name}'`).join(', ')
    return { status: 'error', message: `Unknown tool '${name}'. Available: [${there}]` }
  }
  async function resultOf<T>(name: string, args: object = {}): Promise<T> {
    const answer = await executeTool(name, args)
    if (answer.status === 'error') throw new Error(String(answer.message))
    const { status: _, notice: __, ...fields } = answer
    return fields as T
  }
  return {
    tools,
    executeTool,
    bootstrap: async (options) =>
      (await resultOf<{ content: string }>('memory_bootstrap', options)).content,
    read: (request: object) => resultOf<never>('memory_read', request),
    write: (request) => resultOf('memory_write', request),
    relate: (request) => resultOf('memory_relate', request),
    list: () => resultOf('memory_list'),
    compact: (request) => resultOf('memory_compact', request),
    sync: (options) => resultOf('memory_sync', options),
    relations: async (query) =>
      (await resultOf<{ relations: never[] }>('memory_relations', query)).relations,
    history: async (options) =>
      (await resultOf<{ entries: never[] }>('memory_history', options)).entries,
    undo: (options) => resultOf('memory_undo', options),
    backup: () => resultOf('memory_backup'),
    close,
    [Symbol.asyncDispose]: close,
  }
}
