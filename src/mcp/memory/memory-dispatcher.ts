import { z } from 'zod'
import { messageOf, OgError } from '../../platform/error.ts'
import { readArguments } from '../arguments.ts'
import { buildBootstrap } from './memory-prompt.ts'
import { memoryListTool, memoryReadTool } from './memory-read-tools.ts'
import { defineMemoryTool, type MemoryContext, type MemoryTool } from './memory-tool.ts'
import { readAnswerText, type ReadEnvelope } from './read-answer.ts'
import { memoryCompactTool, memoryRelateTool, memoryWriteTool } from './memory-write-tools.ts'

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

type ActionCall = { action: string; args: Record<string, unknown> }

async function dispatch(
  context: MemoryContext,
  tool: MemoryTool,
  { action, args }: ActionCall,
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
