import type { z } from 'zod'
import type { Task } from './tasks.ts'

/**
 * One tool as data. The listing for clients, the parsing of arguments and docs/reference/mcp.md are
 * all derived from it. `tool()` and `defineMemoryTool()` create it and give `run` typed arguments.
 */
export type Tool<C> = {
  name: string
  /** Accepted but not listed: upstream's hint tells models to call `get_full_content`. */
  aliases: readonly string[]
  title: string
  /** Tells the model when to use the tool. */
  description: string
  /** Nearly always flat: texts, numbers and booleans. */
  input: z.ZodObject
  /** Arguments for which "" is a value; for others it means that they are omitted. */
  blanks?: readonly string[]
  output: z.ZodType<Structured>
  /**
   * The text is the answer, and the structured content only points into it. A client that shows
   * its model the structured content in place of the text gets none, unless it asks for it.
   */
  isTextFirst?: boolean
  annotations: Annotations
  run(context: C, values: Record<string, unknown>): Promise<ToolAnswer>
}

/** Binds tools to their context, so that a call needs only its arguments. */
export function bindTools<C extends object>(
  tools: readonly Tool<C & Call>[],
  context: C,
): Tool<Call>[] {
  return tools.map((tool) => ({
    ...tool,
    run: (call, values) => tool.run({ ...context, ...call }, values),
  }))
}

/**
 * Clients use these to ask users for consent. All four are set, since the defaults assume the
 * worst.
 */
export type Annotations = {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

/** Annotations of tools that change nothing and access nothing outside. */
export const readOnlyAnnotations: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** The state of one call, common to all tools. */
export type Call = {
  /** Aborts when the client cancels the call or disconnects. */
  signal: AbortSignal
  /** Sends progress to the client if it asked for progress. */
  report(progress: ToolProgress): void
  /** Whether the client accepts a task as the answer. */
  takesTasks: boolean
}

/** `total` is null until it is known. */
type ToolProgress = { done: number; total: number | null; message: string }

type Structured = Record<string, unknown>

/** The answer in two forms: text for the model, and data that matches `output` for programs. */
export type ToolAnswer = {
  text: string
  structured: Structured
  /** A sentence that does not fit into the text; sent as a separate block. */
  note?: string
  /** The task that continues after the call; sent instead of the answer. */
  task?: Task
}
