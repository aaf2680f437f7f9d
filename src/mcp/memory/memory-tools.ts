import {
  memoryDecideTool,
  memoryInboxTool,
  type MemoryFace,
  type MemoryTool,
  defineMemoryTool,
  type MemoryContext,
  defineOperationTool,
} from './memory-tool.ts'
import {
  memoryBootstrapTool,
  memoryListTool,
  memoryReadTool,
  readAnswerText,
  type ReadEnvelope,
} from './memory-read-tools.ts'
import { OgError, messageOf } from '../../platform/error.ts'
import { bindTools, type Call, type Tool } from '../tool.ts'
import { z } from 'zod'
import { readArguments } from '../arguments.ts'
import { buildBootstrap } from './memory-text.ts'
import { memorySchemas } from '../../operation/memory/memory-schema.ts'
import { recordRelation, compactMemory, writeMemory } from '../../operation/memory/write.ts'

const adds = { readOnlyHint: false, idempotentHint: false, openWorldHint: false }

export const memoryWriteTool = defineOperationTool(writeMemory, {
  name: 'memory_write',
  title: 'Write into memory',
  description:
    'Append an entry, replace text or lines, or delete lines. When you learn something that a ' +
    'later session will need, write it down: in MEMORY.md if it still matters in months, in ' +
    'USER.md if it is about the user, in AGENTS.md if it is a rule for your behaviour, ' +
    'otherwise in daily. MEMORY.md and daily logs are append-only: use `corrects` to correct ' +
    'one of their entries.',
  faces: {
    file: { isRequired: true },
    content: { isRequired: true },
    start_line: { isHint: true },
    end_line: { isHint: true },
  },
  output: memorySchemas.write,
  annotations: { ...adds, destructiveHint: true },
})

export const memoryRelateTool = defineOperationTool(recordRelation, {
  name: 'memory_relate',
  title: 'Relate two things',
  description:
    'Record how two people, teams, systems or ideas are related, as subject, predicate and ' +
    'object. With `supersedes`, other relations of the same subject and predicate become past.',
  // The operation clamps the value, so the schema must not reject it.
  faces: { confidence: { isHint: true } },
  output: memorySchemas.relate,
  annotations: { ...adds, destructiveHint: false, idempotentHint: true },
})

export const memoryCompactTool = defineOperationTool(compactMemory, {
  name: 'memory_compact',
  title: 'Compact a file of memory',
  description:
    'Replace a whole file of memory by a shorter text. Read it first with memory_read, keep ' +
    'every fact that matters and date headings such as "## 2026-04-08", and pass the `hash` ' +
    'of that answer as `expect`, so that entries added since then are not lost. og makes a ' +
    'backup first.',
  output: memorySchemas.compact,
  annotations: { ...adds, destructiveHint: true },
})

/** The tools behind the actions of memory_tool, including unlisted tools. */
const tools: Readonly<Record<string, MemoryTool>> = {
  read: memoryReadTool,
  write: memoryWriteTool,
  relate: memoryRelateTool,
  list: memoryListTool,
  compact: memoryCompactTool,
}

const actions = ['bootstrap', 'describe', ...Object.keys(tools)]

export const memoryDispatcherTool = defineMemoryTool({
  name: 'memory_tool',
  title: 'Memory',
  description:
    'All memory tools in one. Actions: bootstrap (call it first, at the start of a session), ' +
    'read, write, relate, list, compact, and describe, which returns the schema of the action ' +
    'in `args.action`.',
  input: z.strictObject({
    action: z.string().meta({ enum: actions, description: 'what to do' }),
    args: z.record(z.string(), z.unknown()).optional().describe('arguments of the action'),
  }),
  isTextFirst: true,
  text: (envelope) =>
    envelope.mode === 'search' || envelope.mode === 'get'
      ? readAnswerText(envelope as ReadEnvelope)
      : JSON.stringify(envelope),
  output: z.looseObject({
    status: z.literal('ok'),
    bootstrap: z.string().optional(),
    action: z.string().optional(),
    schema: z.record(z.string(), z.unknown()).optional(),
  }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
  async run(context, { action, args = {} }) {
    if (action === 'bootstrap') return { bootstrap: await bootstrap(context, args) }
    if (action === 'describe') return describeAction(args.action)
    const tool = Object.hasOwn(tools, action) ? tools[action]! : null
    if (tool === null) {
      throw new OgError(`Unknown action '${action}'. Valid actions: ${quoteNames(actions)}`)
    }
    return dispatch(context, tool, { action, args })
  },
})

async function dispatch(
  context: MemoryContext,
  tool: MemoryTool,
  { action, args }: { action: string; args: Record<string, unknown> },
): Promise<object> {
  if (context.memory.readOnly && tool.annotations.readOnlyHint === false) {
    throw new OgError(`Action '${action}' is refused: this connection is read-only`)
  }
  const read = readArguments(tool, args)
  if ('problem' in read) {
    throw new OgError(`Invalid args for action '${action}': ${read.problem}`)
  }
  return tool.answer(context, read.values, `Action '${action}' failed: `)
}

async function bootstrap(
  { memory }: MemoryContext,
  { task }: Record<string, unknown>,
): Promise<string> {
  const { content } = await buildBootstrap(memory, {
    task: task === undefined ? null : String(task),
  }).catch((error: unknown) => {
    throw new OgError(`bootstrap failed: ${messageOf(error)}`, { cause: error })
  })
  return content
}

function describeAction(action: unknown): object {
  if (action === undefined || action === null || action === '') {
    throw new OgError('Provide args.action with the name of the action to describe.')
  }
  const name = String(action)
  const tool = Object.hasOwn(tools, name) ? tools[name]! : null
  if (tool === null) {
    const available = quoteNames(Object.keys(tools))
    throw new OgError(`No schema available for action '${name}'. Available: ${available}`)
  }
  const { description, input } = tool
  const schema = { description, ...z.toJSONSchema(input, { io: 'input' }) }
  return { action: name, schema }
}

function quoteNames(names: readonly string[]): string {
  return `[${names.map((name) => `'${name}'`).join(', ')}]`
}

/** All memory tools for agents. docs/reference/mcp.md and the adapters use them too. */
export const allMemoryTools: readonly MemoryTool[] = [
  memoryBootstrapTool,
  memoryReadTool,
  memoryWriteTool,
  memoryRelateTool,
  memoryListTool,
  memoryCompactTool,
  memoryDispatcherTool,
]

export function memoryTools(memory: MemoryFace): Tool<Call>[] {
  return bindTools(listedTools(memory), { memory })
}

export function listedTools(memory: MemoryFace): MemoryTool[] {
  if (memory.dispatcherMode) return [memoryDispatcherTool]
  const listed = [
    memoryBootstrapTool,
    memoryReadTool,
    memoryWriteTool,
    memoryRelateTool,
    ...(memory.exposeMemoryList ? [memoryListTool] : []),
    ...(memory.hasCompactionThreshold ? [memoryCompactTool] : []),
    ...(memory.hasInbox ? [memoryInboxTool, memoryDecideTool] : []),
  ]
  return listed.filter(({ annotations }) => !memory.readOnly || annotations.readOnlyHint)
}

/**
 * Returns tools that can be called but are not listed. A call of a disabled memory_compact returns
 * an error with the setting that enables it.
 */
export function unlistedTools(memory: MemoryFace): Tool<Call>[] {
  const isOff = !memory.hasCompactionThreshold && !memory.dispatcherMode && !memory.readOnly
  return isOff ? bindTools([{ ...memoryCompactTool, run: refuseToCompact }], { memory }) : []
}

async function refuseToCompact(): Promise<never> {
  throw new OgError('memory_compact is off: no threshold for compaction is set', {
    hint:
      'the person who started the server sets bootstrap.compaction_token_threshold ' +
      '(GROUNDMEMORY_BOOTSTRAP__COMPACTION_TOKEN_THRESHOLD) to a number of tokens, such as ' +
      '8000, or runs "og memory compact"',
  })
}
