import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createTempFolder, type TempFolder } from '../../src/platform/file/files.ts'
import { anthropic, MemorySession, openai } from '../../src/program/bun.ts'
import type { MemorySession as Session } from '../../src/program/memory-api.ts'

let temp: TempFolder
let session: Session
beforeEach(async () => {
  temp = await createTempFolder('og adapters')
  const env = { HOME: temp.path, GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }
  session = await MemorySession.create('default', { env })
})
afterEach(async () => {
  await session.close()
  await temp[Symbol.asyncDispose]()
})

const called = (name: string, args: string) => ({
  id: `call ${name}`,
  function: { name, arguments: args },
})
const write = { file: 'daily', content: 'The heron nests.' }

test('converts all tools, or those given by name, to the format of each API', () => {
  const [first] = openai.tools(session)
  expect(first).toMatchObject({ type: 'function', function: { name: 'memory_bootstrap' } })
  expect(Object.keys(first!.function)).toEqual(['name', 'description', 'parameters'])
  const [read] = anthropic.tools(session, ['memory_read'])
  expect(read).toMatchObject({ name: 'memory_read', input_schema: { type: 'object' } })
  expect(anthropic.tools(session)).toHaveLength(4)
})

test('OpenAI: answers each call, including one with invalid JSON', async () => {
  const messages: any[] = [{ role: 'user', content: 'hello' }]
  const message = {
    role: 'assistant',
    tool_calls: [
      called('memory_write', JSON.stringify(write)),
      called('memory_list', ''),
      called('memory_read', '{"query":'),
      called('memory_read', '[1'),
    ],
  }
  await openai.handleToolCalls(session, message, messages)
  expect(messages[1]).toBe(message)
  const answers = messages.slice(2)
  expect(answers.map(({ role, tool_call_id }) => `${role} ${tool_call_id}`)).toEqual([
    'tool call memory_write',
    'tool call memory_list',
    'tool call memory_read',
    'tool call memory_read',
  ])
  const states = answers.map(({ content }) => JSON.parse(content).status)
  expect(states).toEqual(['ok', 'ok', 'error', 'error'])
})

test('OpenAI: ends the loop when the model calls no tool or reaches the limit', async () => {
  const messages: any[] = [{ role: 'user', content: 'remember it' }]
  const calls = { role: 'assistant', tool_calls: [called('memory_write', JSON.stringify(write))] }
  const replies = [
    { message: calls, finish_reason: 'tool_calls' },
    { message: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' },
  ]
  expect(await openai.runAgentLoop(session, async () => replies.shift()!, { messages })).toBe(
    'Done.',
  )
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  const forever = async () => ({ message: calls, finish_reason: 'tool_calls' })
  await expect(
    openai.runAgentLoop(session, forever, { messages, maxIterations: 2 }),
  ).rejects.toThrow('after 2 answers')
})

test('Anthropic: returns the turns to append and starts with the bootstrap text', async () => {
  const content = [
    { type: 'text', text: 'Noted.' },
    { type: 'tool_use', id: '1', name: 'memory_write', input: write },
    { type: 'tool_use', id: '2', name: 'memory_read', input: {} },
  ]
  const { assistantTurn, toolResultTurn } = await anthropic.handleToolCalls(session, {
    content,
    stop_reason: 'tool_use',
  })
  expect(assistantTurn).toEqual({ role: 'assistant', content })
  expect(toolResultTurn!.content).toMatchObject([
    { type: 'tool_result', tool_use_id: '1' },
    { tool_use_id: '2', is_error: true },
  ])
  const text = [{ type: 'text', text: 'Hello' }]
  expect(
    (await anthropic.handleToolCalls(session, { content: text, stop_reason: 'end_turn' }))
      .toolResultTurn,
  ).toBeNull()
  const asked: any[] = []
  const replies = [
    { content, stop_reason: 'tool_use' },
    { content: text, stop_reason: 'end_turn' },
  ]
  const complete = async (request: object) => {
    asked.push(structuredClone(request))
    return replies.shift()!
  }
  const messages = [{ role: 'user', content: 'remember it' }]
  expect(await anthropic.runAgentLoop(session, complete, { messages })).toBe('Hello')
  expect(asked[0].system).toContain('The heron nests.')
  expect(asked.map(({ messages }) => messages.length)).toEqual([1, 3])
})
