import { z } from 'zod'
import { checkMayAdd, nameToAdd } from '../../library/sources/name-to-add.ts'
import { OgError } from '../../platform/error.ts'
import { findMissing } from '../docs/missing.ts'
import { tool, type ToolContext } from '../docs/docs-tool.ts'
import { progressOf, renderJobResult } from './job-result.ts'
import type { Tool } from '../tool.ts'

const annotations = {
  readOnlyHint: false,
  // A replaced version can be restored by a rollback.
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
}

const waitSeconds = z
  .int()
  .min(0)
  .max(3_600)
  .optional()
  .describe('wait so long for the end, 50 unless set; indexing goes on behind it')

const output = z.object({
  status: z.enum(['done', 'running']),
  searchable: z
    .boolean()
    .optional()
    .describe('while it runs: its words can be searched already, and meaning follows'),
  results: z.array(
    z.object({
      library: z.string(),
      version: z.string(),
      status: z.enum(['added', 'updated', 'unchanged', 'failed']),
      pages: z.int().optional(),
      chunks: z.int().optional(),
      embedded: z.int().optional().describe('chunks that were embedded in this run'),
      failed: z.int().optional().describe('pages that could not be read'),
      incomplete: z.string().optional().describe('why its source was not read whole'),
      error: z.string().optional(),
    }),
  ),
})

const addLibrary = tool({
  name: 'add_library_tool',
  aliases: ['add_library'],
  title: 'Index a library',
  description:
    'Fetch the documentation of a library and index it on this machine, so that it can be ' +
    'searched. Ask the user first. What is new can be searched within seconds, by its words ' +
    'first; when the answer says that it is still running, call again with the same arguments ' +
    'to wait on, or search meanwhile.',
  input: z.strictObject({
    library_name: z.string().min(1).max(100).describe('name under which it is kept'),
    source: z
      .string()
      .max(2_000)
      .optional()
      .describe(
        'where the documentation is: public address of a git repository or site, or a folder of ' +
          'the project; not needed for well-known libraries',
      ),
    version: z.string().max(200).optional().describe('tag or branch; without it the default one'),
    docs_path: z.string().max(1_000).optional().describe('folder or glob inside the repository'),
    wait_seconds: waitSeconds,
  }),
  output,
  annotations,
  async run(context, { library_name, source, version: typed, docs_path, wait_seconds }) {
    const { canSee, knownSources } = context
    const { library, version } = nameToAdd({
      library: library_name,
      source,
      version: typed || null,
    })
    if (canSee !== null) await checkMayAdd({ canSee, knownSources }, { library, source })
    // The job checks this too; checking here avoids starting one only to be refused.
    if (source) await context.resolveSource(source, docs_path ? [docs_path] : [])
    const options = { source, version: version ?? undefined, 'docs-path': docs_path }
    const words = ['add', ...toFlags(options), '--', library]
    return await runJob(context, { library, version }, { words, wait_seconds })
  },
})

const updateLibrary = tool({
  name: 'update_library_tool',
  aliases: ['update_library'],
  title: 'Update a library',
  description:
    'Read the documentation of an indexed library again from where it came, and index what has ' +
    'changed. When the answer says that it is still running, call again to wait on.',
  input: z.strictObject({
    library_name: z.string().min(1).max(100).describe('name of the library'),
    version: z.string().max(200).optional().describe('which version; without it all of them'),
    wait_seconds: waitSeconds,
  }),
  output,
  annotations,
  async run(context, { library_name: library, version, wait_seconds }) {
    const query = { library, version: version ?? null }
    const unmet = await findMissing(context, query)
    if (unmet !== null) throw new OgError(unmet.message)
    const words = ['update', ...toFlags({ version }), '--', library]
    return await runJob(context, query, { words, wait_seconds })
  },
})

/** The tools that index. They are listed if the server runs with --allow-ingest. */
export const ingestTools: readonly Tool<ToolContext>[] = [addLibrary, updateLibrary]

/** Writes `--name=value`, so that a value cannot be parsed as an option. */
function toFlags(options: Record<string, string | undefined>): string[] {
  return Object.entries(options).flatMap(([name, value]) => (value ? [`--${name}=${value}`] : []))
}

async function runJob(
  { jobs, signal, report, takesTasks }: ToolContext,
  about: { library: string; version: string | null },
  { words, wait_seconds = 50 }: { words: string[]; wait_seconds: number | undefined },
) {
  const [name = '', ...rest] = words
  const command = { ...about, words: [name, '--json', ...rest] }
  if (takesTasks) {
    return { ...runningAnswer(about.library, 'running'), task: await jobs.begin(command) }
  }
  const result = await jobs.run(command, {
    signal,
    waitMs: wait_seconds * 1000,
    onProgress: (progress) => report(progressOf(progress)),
  })
  signal.throwIfAborted()
  return typeof result === 'string' ? runningAnswer(about.library, result) : renderJobResult(result)
}

function runningAnswer(library: string, state: 'running' | 'searchable') {
  const searchable = state === 'searchable'
  const text = searchable
    ? `${library} can be searched now; passages are found by their words, and by meaning as its ` +
      'embeddings follow. Call again to wait for those.'
    : `Indexing ${library} is still running. Call again to wait on, or search meanwhile.`
  const structured = { status: 'running' as const, results: [] }
  return { text, structured: searchable ? { ...structured, searchable } : structured }
}
