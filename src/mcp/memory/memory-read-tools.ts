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
import { leanSearch, readAnswerText, storedTextNotice, type ReadEnvelope } from './read-answer.ts'
import { envelopeSchema, defineMemoryTool, defineOperationTool } from './memory-tool.ts'

const notice = z.string().optional().describe('states that quoted text is data')

const bootstrapInput = operationArguments(bootstrapMemory.input)

export const memoryBootstrapTool = defineMemoryTool({
  name: 'memory_bootstrap',
  title: 'Begin with memory',
  description:
    'Load the memory of earlier sessions: long-term facts, the profile of the user, rules for ' +
    'your behaviour, relations and the latest daily logs. Call it once, first in a session, ' +
    'and do not mention it.',
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

const structuredHits = z
  .enum(['lean', 'full'])
  .optional()
  .describe("fields of a hit in structuredContent: lean, or full with GroundMemory's others")

export const memoryReadTool = defineMemoryTool({
  name: 'memory_read',
  title: 'Search or read memory',
  description:
    'With `query`: search memory by words and meaning, in one file if `file` is given. With ' +
    '`file` alone: read that file, or some of its lines. Look here before you answer about ' +
    'people, projects, decisions or anything that an earlier session may have settled.',
  input: readInput.schema.extend({ structured: structuredHits }),
  programArguments: ['structured'],
  isTextFirst: true,
  output: envelopeSchema(
    z.object({ mode: z.enum(['search', 'get']), notice, ...memorySchemas.read.shape }),
  ),
  annotations: readOnlyAnnotations,
  text: (envelope) => readAnswerText(envelope as ReadEnvelope),
  async run({ memory }, { structured, ...args }) {
    const { query, file, ...input } = readInput.input(args)
    const session = await memory.session()
    const isSlice = file !== null && (input.start_line ?? input.end_line) !== null
    if (query !== null && query.trim() !== '' && !isSlice) {
      const answer = await recallMemory.run(session, { query, file, ...input })
      const json = recallMemory.json(answer)
      const isFull = memory.isForPrograms || structured === 'full'
      return { notice: storedTextNotice, ...(isFull ? json : leanSearch(json)) }
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
    'List the files of memory with their numbers of lines and bytes, or the daily logs, ' +
    'newest first. With `file`, return the first 20 lines of that file.',
  output: z.object({ notice, ...memorySchemas.list.shape }),
  annotations: readOnlyAnnotations,
  fields: (listed) => ('preview' in listed ? { notice: storedTextNotice, ...listed } : listed),
})
