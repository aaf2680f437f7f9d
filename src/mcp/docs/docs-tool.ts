import { z } from 'zod'
import type { ProjectPins } from '../../version/project.ts'
import type { OgView } from '../../open.ts'
import type { Source } from '../../store/source.ts'
import type { Annotations, Call, Tool, ToolAnswer } from '../tool.ts'
import type { AddProgress, AddResult } from '../../library/library.ts'

export type ToolContext = Documentation & Call

export type Documentation = {
  og: OgView
  jobs: Jobs
  /** Resolves a source from an agent. Throws if agents may not use it. */
  resolveSource(name: string, docsPaths: string[]): Promise<Source>
  /** Returns the names of libraries in source lists. */
  knownSources(): Promise<string[]>
  /**
   * Returns true if the caller may see a library. Null means all libraries. `og` and `knownSources`
   * are already filtered.
   */
  canSee: ((library: string) => boolean) | null
  /** Versions pinned by the user's project; null outside a project. */
  project(): Promise<ProjectPins | null>
  /** Default number of hits. */
  limit: number
  answerShape: 'og' | 'openground'
}

type Structured = Record<string, unknown>

/** The argument of tools with text answers. */
export const structuredArgument = z
  .enum(['places', 'full'])
  .optional()
  .describe(
    'content of structuredContent: "places" has addresses and lines only, "full" also has the ' +
      'text',
  )

type Definition<I extends z.ZodObject, O extends z.ZodType<Structured>> = {
  name: string
  aliases?: readonly string[]
  title: string
  description: string
  input: I
  programArguments?: readonly string[]
  output: O
  isTextFirst?: boolean
  annotations: Annotations
  run(
    context: ToolContext,
    values: z.infer<I>,
  ): Promise<Omit<ToolAnswer, 'structured'> & { structured: z.infer<O> }>
}

/** Creates a tool. `run` receives arguments with the types of `input`. */
export function defineTool<I extends z.ZodObject, O extends z.ZodType<Structured>>(
  definition: Definition<I, O>,
): Tool<ToolContext> {
  return {
    ...definition,
    aliases: definition.aliases ?? [],
    // The server validated the arguments with the same `input`, so the cast is safe.
    run: (context, values) => definition.run(context, values as z.infer<I>),
  }
}

/**
 * Indexing jobs started by agents. Each job is an og process in its own session. It survives the
 * client and this server, and cannot harm the server with its memory use or a crash.
 */
export type Jobs = { run(command: JobCommand, watch: JobWatch): Promise<JobOutcome> }

export type JobCommand = { words: readonly string[]; library: string; version: string | null }

export type JobWatch = {
  /**
   * An abort with `ConnectionClosed` means that the client has disconnected, and the job continues.
   * Any other abort ends the job.
   */
  signal: AbortSignal
  /** Maximum wait for the end of the job, in milliseconds. */
  waitMs: number
  onProgress(progress: AddProgress): void
}

/**
 * `running` means that the wait ended before the job did. `searchable` means that the library
 * became searchable during this call and its embeddings are still being computed.
 */
export type JobOutcome = JobResult | 'running' | 'searchable'

export type JobResult = { results: AddResult[]; failures: Failure[] }

type Failure = { library: string; version: string; error: string; hint?: string | null }
