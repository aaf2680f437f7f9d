import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/** The Tasks extension of the protocol, SEP-2663. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

/** A call that continues after it has been answered. Times are ISO 8601 in UTC. */
export type Task = {
  taskId: string
  statusMessage: string
  createdAt: string
  lastUpdatedAt: string
  ttlMs: number
  pollIntervalMs: number
} & (
  | { status: 'working' | 'cancelled' }
  /** `result` is the result of the call, which may be a tool error. */
  | { status: 'completed'; result: CallToolResult }
)

export type Tasks = {
  get(taskId: string): Promise<Task | null>
  /** Requests cancellation; the task may already be finished. */
  cancel(taskId: string): Promise<Task | null>
}

/** Whether the client accepts a task as the answer to this request. */
export function acceptsTasks({ mcpReq: { envelope } }: Pick<ServerContext, 'mcpReq'>): boolean {
  return declaration.safeParse(envelope).success
}

const declaration = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({
    extensions: z.object({ [tasksExtension]: z.object({}) }),
  }),
})

/** Returns the answer to a call that starts a task instead of returning a result. */
export function createTaskResult(task: Task): CallToolResult {
  return { resultType: 'task', content: [], ...task }
}

export function answerTasks(server: Server, tasks: Tasks): void {
  const params = z.looseObject({ taskId: z.string() })
  const existing = async (ask: Promise<Task | null>, taskId: string) => {
    const task = await ask
    if (task !== null) return task
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `This server has no task "${taskId}"`)
  }
  const complete = { resultType: 'complete' }
  server.setRequestHandler('tasks/get', { params }, async ({ taskId }) => ({
    ...complete,
    ...(await existing(tasks.get(taskId), taskId)),
  }))
  // og's tasks never ask for input, so an update has no effect.
  server.setRequestHandler('tasks/update', { params }, async ({ taskId }) => {
    await existing(tasks.get(taskId), taskId)
    return complete
  })
  server.setRequestHandler('tasks/cancel', { params }, async ({ taskId }) => {
    await existing(tasks.cancel(taskId), taskId)
    return complete
  })
}
