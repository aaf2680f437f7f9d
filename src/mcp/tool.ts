import type { z } from 'zod'
import type { PageLink } from './docs/resource-uri.ts'
import type { Task } from './tasks.ts'

/**
 * One tool as data: what clients are told, how arguments are read, and docs/reference/mcp.md come
 * from this
 * and nothing else. Made by `tool()` and `memoryTool()`, which give `run` typed arguments.
 */
export type Tool<C> = {
  name: string
  /** Accepted and not listed: a model that read upstream's hint calls `get_full_content`. */
  aliases: readonly string[]
  title: string
  /** For the model that has to choose. */
  description: string
  /** Nearly always flat: texts, numbers and switches. */
  input: z.ZodObject
  /** Arguments of which "" says something; of others it says that they are left out. */
  blanks?: readonly string[]
  output: z.ZodType<Structured>
  annotations: Annotations
  run(context: C, typed: Record<string, unknown>): Promise<ToolAnswer>
}

/** Tools bound to what they work with: from then on a call needs its arguments alone. */
export function bound<C extends object>(
  tools: readonly Tool<C & Call>[],
  context: C,
): Tool<Call>[] {
  return tools.map((tool) => ({
    ...tool,
    run: (call, typed) => tool.run({ ...context, ...call }, typed),
  }))
}

/** What clients may ask users about; all four are stated, since their defaults are the worst. */
export type Annotations = {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

/** The annotations of tools that change nothing and reach nothing outside. */
export const readsOnly: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** One call, whatever the tool works with. */
export type Call = {
  /** Aborted when the client cancels the call, and when it is gone. */
  signal: AbortSignal
  /** Tells the client how far the call is, where it asked to be told. */
  report(progress: ToolProgress): void
  /** Whether the client takes a task for an answer. */
  takesTasks: boolean
}

/** `total` is null where it is not known yet. */
type ToolProgress = { done: number; total: number | null; message: string }

type Structured = Record<string, unknown>

/** The same answer twice: as text for the model, as `output` promises for programs. */
export type ToolAnswer = {
  text: string
  structured: Structured
  /** A sentence that the text cannot hold, as a block of its own. */
  note?: string
  /** Pages that the client may read as resources. */
  links?: readonly PageLink[]
  /** What goes on after the call, for a client that takes tasks: this is told instead. */
  task?: Task
}
