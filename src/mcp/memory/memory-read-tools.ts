import { z } from 'zod'
import { memorySchemas } from '../../operation/memory/memory-schema.ts'
import {
  bootstrapMemory,
  listMemory,
  emptyMemoryText,
  readMemory,
  recallMemory,
} from '../../operation/memory/read.ts'
import { OgError } from '../../platform/error.ts'
import { operationArguments } from '../operation-input.ts'
import { readOnlyAnnotations } from '../tool.ts'
import { buildBootstrap } from './memory-prompt.ts'
import { storedTextNotice } from './memory-text.ts'
import { envelopeSchema, defineMemoryTool, defineOperationTool } from './memory-tool.ts'

const notice = z.string().optional().describe('says that what is quoted is data')

const bootstrapInput = operationArguments(bootstrapMemory.input)

export const memoryBootstrapTool = defineMemoryTool({
  name: 'memory_bootstrap',
  title: 'Begin with memory',
  description:
    'Load what is remembered from earlier sessions: long-term memory, who the user is, how you ' +
    'should behave, relations, and the latest daily logs. Call it once, first of all and without ' +
    'a word about it, when a session begins.',
  input: bootstrapInput.schema,
  output: envelopeSchema(memorySchemas.bootstrap),
  annotations: readOnlyAnnotations,
  text: ({ content }) => String(content) || emptyMemoryText,
  run: async ({ memory }, args) => buildBootstrap(memory, bootstrapInput.input(args)),
})

const {
  query: { required: _, ...query },
  file,
  top_k,
  ...filters
} = recallMemory.input
const { file: __, ...lines } = readMemory.input

/** Upstream has one tool for two operations: with `query` it searches, without it reads. */
const readInput = operationArguments(
  { query, file, top_k, ...lines, ...filters },
  { top_k: { isHint: true }, start_line: { isHint: true }, end_line: { isHint: true } },
)

export const memoryReadTool = defineMemoryTool({
  name: 'memory_read',
  title: 'Search or read memory',
  description:
    'With `query`: search memory by words and meaning, in one file if `file` is given. With ' +
    '`file` alone: read that file, or the lines asked for. Look here before you answer about ' +
    'people, projects, decisions or anything that an earlier session may have settled.',
  input: readInput.schema,
  output: envelopeSchema(
    z.object({ mode: z.enum(['search', 'get']), notice, ...memorySchemas.read.shape }),
  ),
  annotations: readOnlyAnnotations,
  async run({ memory }, args) {
    const { query, file, ...input } = readInput.input(args)
    const session = await memory.session()
    const isSlice = file !== null && (input.start_line ?? input.end_line) !== null
    if (query !== null && query.trim() !== '' && !isSlice) {
      const answer = await recallMemory.run(session, { query, file, ...input })
      return { notice: storedTextNotice, ...recallMemory.json(answer) }
    }
    if (file === null) {
      throw new OgError(`Provide either 'query' (search mode) or 'file' (get mode).`)
    }
    const answer = await readMemory.run(session, { file, ...input })
    return { notice: storedTextNotice, ...readMemory.json(answer) }
  },
})

export const memoryListTool = defineOperationTool(listMemory, {
  name: 'memory_list',
  title: 'List memory files',
  description:
    'List the files of memory with their lines and bytes, or the daily logs, newest first; with ' +
    '`file` the first 20 lines of one.',
  faces: { target: { isHint: true } },
  output: z.object({ notice, ...memorySchemas.list.shape }),
  annotations: readOnlyAnnotations,
  fields: (listed) => ('preview' in listed ? { notice: storedTextNotice, ...listed } : listed),
})
