import { join } from 'node:path'
import { z } from 'zod'
import type { OpenMemory } from '../../memory/session.ts'
import type { Operation } from '../../operation/operation.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { operationArguments, type ArgumentOverrides } from '../arguments.ts'
import { type Annotations, type Call, type Tool, readOnlyAnnotations } from '../tool.ts'
import { backUpMemory } from '../../operation/memory/backup.ts'
import {
  listWrites,
  syncMemory,
  undoWrite,
  decideInbox,
  listInbox,
} from '../../operation/memory/upkeep.ts'
import { memorySchemas } from '../../operation/memory/memory-schema.ts'
import { listRelations } from '../../operation/memory/write.ts'
import type { InputFields } from '../../operation/field.ts'

export type MemoryFace = {
  /** Opens the workspace at the first call, so that `initialize` is answered immediately. */
  session(): Promise<OpenMemory>
  root: string
  workspace: string
  readOnly: boolean
  isForPrograms: boolean
  /**
   * Upstream's settings: whether `memory_tool` replaces the other tools, and whether `memory_list`
   * is listed.
   */
  dispatcherMode: boolean
  exposeMemoryList: boolean
  /** True if bootstrap may request compaction. Otherwise, memory_compact is not listed. */
  hasCompactionThreshold: boolean
  /** True if memory captures notes. Otherwise, the inbox tools are not listed. */
  hasInbox: boolean
}

export type MemoryContext = { memory: MemoryFace }

/** Upstream's envelope of a successful call. A failed call throws an error instead. */
type DoneEnvelope = { status: 'ok'; [field: string]: unknown }

/** A tool that can answer without the MCP envelope, for `memory_tool`. */
export type MemoryTool = Tool<MemoryContext & Call> & {
  /** `errorPrefix` starts the message of every error except those from the tool's own checks. */
  answer(
    context: MemoryContext,
    values: Record<string, unknown>,
    errorPrefix?: string,
  ): Promise<DoneEnvelope>
}

type Definition<I extends z.ZodObject> = {
  name: string
  title: string
  description: string
  input: I
  output: z.ZodType<DoneEnvelope>
  annotations: Annotations
  blanks?: readonly string[]
  programArguments?: readonly string[]
  isTextFirst?: boolean
  text?(envelope: DoneEnvelope): string
  run(context: MemoryContext, values: z.infer<I>): Promise<object>
}

export function defineMemoryTool<I extends z.ZodObject>(definition: Definition<I>): MemoryTool {
  const { name, text = JSON.stringify } = definition
  const ownPrefix = `Tool '${name}' failed: `
  const answer: MemoryTool['answer'] = async (context, values, errorPrefix = ownPrefix) => {
    // The server validated the arguments with the same `input`, so the cast is safe.
    const fields = await definition.run(context, values as z.infer<I>).catch(async (error) => {
      throw await toAgentError(context.memory, error, errorPrefix)
    })
    return { status: 'ok', ...fields }
  }
  return {
    ...definition,
    aliases: [],
    answer,
    async run(context, values) {
      const envelope = await answer(context, values).catch((error: OgError) => {
        const { hint } = error
        throw new OgError(`Error executing tool ${name}: ${error.message}`, { hint, cause: error })
      })
      return { text: text(envelope), structured: envelope }
    },
  }
}

type OperationToolOptions<F extends InputFields, J> = Pick<
  Definition<never>,
  'name' | 'title' | 'description' | 'annotations' | 'text'
> & { faces?: ArgumentOverrides<F>; output: z.ZodObject; fields?(json: J): object }

/** Defines a tool for an operation on the connection's memory. */
export function defineOperationTool<F extends InputFields, V, J extends object>(
  operation: Operation<OpenMemory, F, V, J>,
  { faces, output, fields = (json) => json, ...definition }: OperationToolOptions<F, J>,
): MemoryTool {
  const { schema, blanks, input } = operationArguments(operation.input, faces)
  return defineMemoryTool({
    ...definition,
    input: schema,
    blanks,
    output: envelopeSchema(output),
    async run({ memory }, values) {
      return fields(operation.json(await operation.run(await memory.session(), input(values))))
    },
  })
}

export function envelopeSchema({ shape }: z.ZodObject): z.ZodType<DoneEnvelope> {
  return z.looseObject({ status: z.literal('ok'), ...shape })
}

/**
 * Converts an error for agents. An OgError keeps its message. All other errors, and errors about
 * denied paths, start with `prefix`.
 */
async function toAgentError(memory: MemoryFace, error: unknown, prefix: string): Promise<OgError> {
  const message = await removePaths(memory, messageOf(error))
  const isPlain = error instanceof OgError && error.code !== 'denied'
  const hint = error instanceof OgError ? error.hint : undefined
  return new OgError(isPlain ? message : prefix + message, { hint, cause: error })
}

/** Removes local memory folders from a message, because the client may be on another machine. */
async function removePaths(memory: MemoryFace, message: string): Promise<string> {
  const { root, workspace } = memory
  const resolved = await memory.session().then(
    (session) => [session.workspace.path],
    () => [],
  )
  const paths = [...resolved, join(root, workspace), root]
  return paths.reduce(
    (text, place) => text.replaceAll(`${place}/`, '').replaceAll(place, 'its folder'),
    message,
  )
}

const adds = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

const memorySync = defineOperationTool(syncMemory, {
  name: 'memory_sync',
  title: 'Sync memory',
  description: 'Update the index after edits by hand; `force` reads every file again.',
  output: memorySchemas.sync,
  annotations: adds,
})

const memoryRelations = defineOperationTool(listRelations, {
  name: 'memory_relations',
  title: 'Relations in memory',
  description:
    'List the relations that are true now or were on a day. Case does not matter in names.',
  output: z.object({ relations: z.array(memorySchemas.relation) }),
  annotations: readOnlyAnnotations,
  fields: (relations) => ({ relations }),
})

const memoryHistory = defineOperationTool(listWrites, {
  name: 'memory_history',
  title: 'History of memory',
  description: 'List the writes into memory, newest first, with the ids that memory_undo accepts.',
  output: z.object({ entries: z.array(memorySchemas.pastWrite) }),
  annotations: readOnlyAnnotations,
  fields: (entries) => ({ entries }),
})

const memoryUndo = defineOperationTool(undoWrite, {
  name: 'memory_undo',
  title: 'Undo a write into memory',
  description: 'Undo the write with this `write_id`, or the last one. An undo can be undone too.',
  output: memorySchemas.undo,
  annotations: { ...adds, destructiveHint: true, idempotentHint: false },
})

const memoryBackup = defineOperationTool(backUpMemory, {
  name: 'memory_backup',
  title: 'Back up memory',
  description: 'Write a consistent copy of the Markdown files of memory to an archive.',
  output: memorySchemas.backup,
  annotations: { ...adds, idempotentHint: false },
  // A path is useless to a client on another machine.
  fields: ({ name, files }) => ({ name, files }),
})

/** Agents see this tool and `memoryDecideTool` if the workspace has an inbox. */
export const memoryInboxTool = defineOperationTool(listInbox, {
  name: 'memory_inbox',
  title: 'Inbox of memory',
  description: 'List captured notes that wait for a decision, oldest first.',
  output: z.object({ notes: z.array(memorySchemas.inboxNote) }),
  annotations: readOnlyAnnotations,
  fields: (notes) => ({ notes }),
})

export const memoryDecideTool = defineOperationTool(decideInbox, {
  name: 'memory_decide',
  title: 'Decide about captured notes',
  description: 'Accept, drop, edit or merge notes of the inbox, as the user has decided.',
  output: memorySchemas.decided,
  annotations: { ...adds, destructiveHint: true, idempotentHint: false },
})

/** Tools for programs, which can be called without being listed. */
export const programTools: readonly MemoryTool[] = [
  memorySync,
  memoryRelations,
  memoryHistory,
  memoryUndo,
  memoryBackup,
  memoryInboxTool,
  memoryDecideTool,
]
