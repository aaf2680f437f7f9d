import type { z } from 'zod'
import type { CallToolResult, TextContent } from '@modelcontextprotocol/server'
import { escapeControls, messageOf, OgError } from '../platform/error.ts'

/**
 * A tool as data. The listing for clients, argument parsing and docs/reference/mcp.md are derived
 * from it. `tool()` and `defineMemoryTool()` create it and pass typed arguments to `run`.
 */
export type Tool<C> = {
  name: string
  aliases: readonly string[]
  title: string
  description: string
  input: z.ZodObject
  blanks?: readonly string[]
  /** Accepted but unlisted arguments, which only programs need. */
  programArguments?: readonly string[]
  output: z.ZodType<Structured>
  /**
   * True if the text is the answer and the structured content only refers to it. Clients that show
   * their model only structured content must request it.
   */
  isTextFirst?: boolean
  annotations: Annotations
  run(context: C, values: Record<string, unknown>): Promise<ToolAnswer>
}

/** Binds tools to their context, so that a call needs only arguments. */
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
 * Clients use these to decide whether to ask the user for consent. All four are set, because the
 * defaults assume the worst.
 */
export type Annotations = {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

export const readOnlyAnnotations: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

export type Call = { signal: AbortSignal; report(progress: ToolProgress): void }

/** `total` is null until it is known. */
type ToolProgress = { done: number; total: number | null; message: string }

type Structured = Record<string, unknown>

/** An answer in two forms: text for the model, and data that matches `output` for programs. */
export type ToolAnswer = {
  text: string
  structured: Structured
  /** A sentence outside the text, sent as a separate block. */
  note?: string
}

export function toCallResult(
  { text, structured, note }: ToolAnswer,
  { hasStructure }: { hasStructure: boolean },
): CallToolResult {
  const texts = [text, ...(note === undefined ? [] : [note])]
  return { content: texts.map(textBlock), ...(hasStructure && { structuredContent: structured }) }
}

export function errorResult(text: string): CallToolResult {
  return { content: [textBlock(text)], isError: true }
}

/**
 * Returns a text block for a model. Escapes control characters, because clients print it to
 * terminals.
 */
export function textBlock(text: string): TextContent {
  return { type: 'text', text: escapeControls(text) }
}

export function errorText(tool: string, error: unknown): string {
  if (!(error instanceof OgError)) return `Error calling tool '${tool}': ${messageOf(error)}`
  return error.hint ? `${error.message}\nhint: ${error.hint}` : error.message
}
