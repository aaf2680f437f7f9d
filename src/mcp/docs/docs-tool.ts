import type { z } from 'zod'
import type { ProjectPins } from '../../version/project.ts'
import type { OgView } from '../../open.ts'
import type { Source } from '../../store/source.ts'
import type { Jobs } from '../ingest/job.ts'
import type { Annotations, Call, Tool, ToolAnswer } from '../tool.ts'

/** What a tool of the documentation works with. */
export type ToolContext = Documentation & Call

export type Documentation = {
  og: OgView
  jobs: Jobs
  /** The source that an agent names; throws where it may not. */
  sourceNamed(typed: string, docsPaths: string[]): Promise<Source>
  /** Names that `og add` knows a source for. */
  knownSources(): Promise<string[]>
  /** Which libraries who asks may know of; null: all. `og` and `knownSources` have no others. */
  isSeen: ((library: string) => boolean) | null
  /** What the user's project names, where the server stands in it. */
  project(): Promise<ProjectPins | null>
  /** Hits of a search that asks for no number. */
  limit: number
}

type Structured = Record<string, unknown>

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

/** Makes a tool of a definition; its `run` sees the arguments with the types of `input`. */
export function tool<I extends z.ZodObject, O extends z.ZodType<Structured>>(
  definition: Definition<I, O>,
): Tool<ToolContext> {
  return {
    ...definition,
    aliases: definition.aliases ?? [],
    // Arguments are read by the same `input`, so the types hold.
    run: (context, typed) => definition.run(context, typed as z.infer<I>),
  }
}
