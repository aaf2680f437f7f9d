import { z } from 'zod'
import type { ProjectPins } from '../library/project.ts'
import type { Og } from '../open.ts'
import type { Jobs } from './job.ts'

/**
 * One tool as data: what clients are told, how arguments are read, and docs/mcp.md come from this
 * and nothing else. Made by `tool()`, which gives `run` the arguments with their types.
 */
export type Tool = {
  name: string
  /** Accepted and not listed: a model that read upstream's hint calls `get_full_content`. */
  aliases: readonly string[]
  title: string
  /** For the model that has to choose. */
  description: string
  /** Flat: nothing but texts, whole numbers and switches. */
  input: z.ZodObject
  output: z.ZodType<Structured>
  annotations: Annotations
  run(context: ToolContext, typed: Record<string, unknown>): Promise<ToolAnswer>
}

/** What clients may ask users about; all four are stated, since their defaults are the worst. */
type Annotations = {
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

/** What a tool works with. */
export type ToolContext = {
  og: Og
  jobs: Jobs
  /** Names that `og add` knows a source for. */
  knownSources(): Promise<string[]>
  /** What the user's project names, where the server stands in it. */
  project(): Promise<ProjectPins | null>
  /** Hits of a search that asks for no number. */
  limit: number
  /** Aborted when the client cancels the call, and when it is gone. */
  signal: AbortSignal
  /** Tells the client how far the call is, where it asked to be told. */
  report(progress: ToolProgress): void
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
}

export type PageLink = { uri: string; name: string; title: string; mimeType: string }

type Definition<I extends z.ZodObject, O extends z.ZodType<Structured>> = {
  name: string
  aliases?: readonly string[]
  title: string
  description: string
  input: I
  output: O
  annotations: Annotations
  run(
    context: ToolContext,
    typed: z.infer<I>,
  ): Promise<Omit<ToolAnswer, 'structured'> & { structured: z.infer<O> }>
}

/** Gives a definition its place in the table; `run` sees the arguments that `input` promises. */
export function tool<I extends z.ZodObject, O extends z.ZodType<Structured>>(
  definition: Definition<I, O>,
): Tool {
  return {
    ...definition,
    aliases: definition.aliases ?? [],
    // Arguments are read by the same `input`, so the types hold.
    run: (context, typed) => definition.run(context, typed as z.infer<I>),
  }
}
