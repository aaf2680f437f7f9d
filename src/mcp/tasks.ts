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

/** A call that goes on after its answer; times are ISO 8601, UTC. */
export type Task = {
  taskId: string
  statusMessage: string
  createdAt: string
  lastUpdatedAt: string
  /** For so long after its beginning it can be asked for; milliseconds. */
  ttlMs: number
  pollIntervalMs: number
} & (
  | { status: 'working' | 'cancelled' }
  /** `result` is what the call would have answered, an error of the tool too. */
  | { status: 'completed'; result: CallToolResult }
)

/** What a server knows of its tasks; null: it knows no such one. */
export type Tasks = {
  get(taskId: string): Promise<Task | null>
  /** Asks it to end; it may have ended. */
  cancel(taskId: string): Promise<Task | null>
}

/** Whether this request may be answered by a task: the client says so with each. */
export function takesTasks({ mcpReq: { envelope } }: Pick<ServerContext, 'mcpReq'>): boolean {
  return declaration.safeParse(envelope).success
}

const declaration = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({
    extensions: z.object({ [tasksExtension]: z.object({}) }),
  }),
})

/** The task as the answer to a call, in place of the call's result. */
export function createTaskResult(task: Task): CallToolResult {
  return { resultType: 'task', content: [], ...task }
}

/** Answers `tasks/get`, `tasks/update` and `tasks/cancel`. */
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
  // No task of ours asks for anything, so that there is nothing to hand on.
  server.setRequestHandler('tasks/update', { params }, async ({ taskId }) => {
    await existing(tasks.get(taskId), taskId)
    return complete
  })
  server.setRequestHandler('tasks/cancel', { params }, async ({ taskId }) => {
    await existing(tasks.cancel(taskId), taskId)
    return complete
  })
}
