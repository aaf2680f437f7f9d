import type { anthropic as Anthropic, MemorySession, openai as OpenAi } from './memory-api.ts'

const defaultIterations = 10

export const openai: typeof OpenAi = {
  tools: (session, names) =>
    selectTools(session, names).map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
  async handleToolCalls(session, message, messages) {
    messages.push(message)
    for (const { id, function: called } of message.tool_calls ?? []) {
      const { name = '', arguments: text = '' } = called ?? {}
      const args = parseInput(text)
      const answer =
        args === null
          ? { status: 'error', message: `The arguments of ${name} are not a JSON object` }
          : await session.executeTool(name, args)
      messages.push({ role: 'tool', tool_call_id: id, content: JSON.stringify(answer) })
    }
  },
  async runAgentLoop(session, complete, { messages, maxIterations = defaultIterations }) {
    const tools = openai.tools(session)
    for (let i = 0; i < maxIterations; i++) {
      const { message, finish_reason: reason } = await complete({ messages, tools })
      await openai.handleToolCalls(session, message, messages)
      if (reason !== 'tool_calls') return message.content ?? ''
    }
    throw tooManyIterations(maxIterations)
  },
}

export const anthropic: typeof Anthropic = {
  tools: (session, names) =>
    selectTools(session, names).map(({ name, description, inputSchema }) => ({
      name,
      description,
      input_schema: inputSchema,
    })),
  async handleToolCalls(session, { content }) {
    const assistantTurn = { role: 'assistant' as const, content }
    const results = []
    for (const { type, id, name = '', input } of content) {
      if (type !== 'tool_use') continue
      const answer = await session.executeTool(name, input as object)
      results.push({
        type: 'tool_result',
        tool_use_id: id,
        content: JSON.stringify(answer),
        ...(answer.status === 'error' ? { is_error: true } : {}),
      })
    }
    const toolResultTurn = results.length === 0 ? null : { role: 'user' as const, content: results }
    return { assistantTurn, toolResultTurn }
  },
  async runAgentLoop(session, complete, { messages, system, maxIterations = defaultIterations }) {
    const tools = anthropic.tools(session)
    const context = system || (await session.bootstrap())
    for (let i = 0; i < maxIterations; i++) {
      const response = await complete({ system: context, messages, tools })
      const turns = await anthropic.handleToolCalls(session, response)
      messages.push(turns.assistantTurn)
      if (response.stop_reason !== 'tool_use' || turns.toolResultTurn === null) {
        return response.content.map(({ text = '' }) => text).join('')
      }
      messages.push(turns.toolResultTurn)
    }
    throw tooManyIterations(maxIterations)
  },
}

function selectTools({ tools }: Pick<MemorySession, 'tools'>, names?: readonly string[]) {
  const chosen = tools.filter(({ name }) => names === undefined || names.includes(name))
  return chosen.map(({ inputSchema: { $schema: _, ...inputSchema }, ...tool }) => ({
    ...tool,
    inputSchema,
  }))
}

/** Models send '' if a tool has no arguments. */
function parseInput(text: string): object | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

function tooManyIterations(maxIterations: number): Error {
  return new Error(`The model still calls tools after ${maxIterations} answers`)
}
