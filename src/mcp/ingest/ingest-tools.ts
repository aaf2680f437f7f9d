import { z } from 'zod'
import { checkMayAdd, parseNameToAdd } from '../../library/sources/add-command.ts'
import { addFields, sourceFields } from '../../operation/add/add-fields.ts'
import { update } from '../../operation/add/update.ts'
import { commandOptions, type OperationInput } from '../../operation/field.ts'
import { OgError } from '../../platform/error.ts'
import { operationArguments } from '../arguments.ts'
import { explainMissing } from '../docs/missing.ts'
import { defineTool, type ToolContext } from '../docs/docs-tool.ts'
import { progressOf, renderJobResult } from './job.ts'
import type { Tool } from '../tool.ts'

const annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
}

const waitSeconds = z
  .int()
  .min(0)
  .max(3_600)
  .optional()
  .describe('seconds to wait for the end (default: 50); indexing continues after that')

const { base_url: _, trim_query_params: __, ...agentFields } = sourceFields

const addArguments = operationArguments(
  { library: addFields.library, ...agentFields },
  {
    library: { name: 'library_name' },
    source: {
      doc:
        'source of the documentation: public address of a git repository or site, or a folder ' +
        'of the project; not needed for well-known libraries',
    },
    docs_path: { isCommaSeparated: true },
    language: { isCommaSeparated: true },
    filter_keyword: { isCommaSeparated: true },
    exclude: { isCommaSeparated: true },
  },
)

const { library: libraryField, version: versionField } = update.input
const updateArguments = operationArguments(
  { library: libraryField, version: versionField },
  { library: { name: 'library_name', isRequired: true } },
)

const failedPage = z.object({ url: z.string(), reason: z.string() })

const output = z.object({
  status: z.enum(['done', 'running']),
  searchable: z
    .boolean()
    .optional()
    .describe('true if full-text search already works while indexing is running'),
  results: z.array(
    z.object({
      library: z.string(),
      version: z.string(),
      status: z.enum(['added', 'updated', 'unchanged', 'failed']),
      pages: z.int().optional(),
      chunks: z.int().optional(),
      embedded: z.int().optional().describe('chunks that were embedded in this run'),
      failed: z.array(failedPage).optional().describe('the first five pages that failed'),
      incomplete: z.string().optional().describe('reason why some of the source was not read'),
      error: z.string().optional(),
    }),
  ),
})

const addLibrary = defineTool({
  name: 'add_library_tool',
  aliases: ['add_library'],
  title: 'Index a library',
  description:
    'Fetch the documentation of a library and index it on this machine, so that it can be ' +
    'searched. Ask the user first. Full-text search works within seconds. If the answer says ' +
    'that indexing is still running, call again with the same arguments to wait longer; you ' +
    'can already search.',
  input: addArguments.schema.extend({ wait_seconds: waitSeconds }),
  output,
  annotations,
  async run(context, values) {
    const { canSee, knownSources } = context
    const input = addArguments.input(values)
    const source = input.source ?? undefined
    const { library, version } = parseNameToAdd({
      library: input.library,
      source,
      version: input.version || null,
    })
    if (canSee !== null) await checkMayAdd({ canSee, knownSources }, { library, source })
    // The job checks this too, but a job need not be started for a forbidden source.
    if (source) await context.resolveSource(source, [...input.docs_path])
    const command: JobCommand = { name: 'add', input: { ...input, library, version } }
    return await runJob(context, command, values['wait_seconds'])
  },
})

const updateLibrary = defineTool({
  name: 'update_library_tool',
  aliases: ['update_library'],
  title: 'Update a library',
  description:
    'Read the documentation of an indexed library again from its source, and index the ' +
    'changes. If the answer says that indexing is still running, call again to wait longer.',
  input: updateArguments.schema.extend({ wait_seconds: waitSeconds }),
  output,
  annotations,
  async run(context, values) {
    const { library, version } = updateArguments.input(values)
    const unmet = await explainMissing(context, { library, version })
    if (unmet !== null) throw new OgError(unmet.message)
    const command: JobCommand = { name: 'update', input: { library: library!, version } }
    return await runJob(context, command, values['wait_seconds'])
  },
})

export const ingestTools: readonly Tool<ToolContext>[] = [addLibrary, updateLibrary]

type JobCommand = {
  name: 'add' | 'update'
  input: OperationInput & { library: string; version: string | null }
}

async function runJob(
  { jobs, signal, report }: ToolContext,
  { name, input: { library, ...input } }: JobCommand,
  waitSeconds: unknown,
) {
  const about = { library, version: input.version }
  const words = [name, '--json', ...commandOptions(input), '--', library]
  const result = await jobs.run(
    { ...about, words },
    {
      signal,
      waitMs: (typeof waitSeconds === 'number' ? waitSeconds : 50) * 1000,
      onProgress: (progress) => report(progressOf(progress)),
    },
  )
  signal.throwIfAborted()
  return typeof result === 'string' ? runningAnswer(about.library, result) : renderJobResult(result)
}

function runningAnswer(library: string, state: 'running' | 'searchable') {
  const searchable = state === 'searchable'
  const text = searchable
    ? `${library} can be searched now; passages are found by their words, and by meaning as its ` +
      'embeddings follow. Call again to wait for those.'
    : `Indexing ${library} is still running. Call again to keep waiting, or search meanwhile.`
  const structured = { status: 'running' as const, results: [] }
  return { text, structured: searchable ? { ...structured, searchable } : structured }
}
