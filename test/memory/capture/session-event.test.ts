import { expect, test } from 'bun:test'
import { sessionEvents, type PendingCommands } from '../../../src/memory/capture/session-event.ts'

const events = (entries: object[], pending: PendingCommands = new Map()) =>
  sessionEvents(
    entries.map((entry) => JSON.stringify(entry)),
    pending,
  )

test('reads a transcript of Claude Code', () => {
  const user = (content: unknown, more = {}) => ({
    type: 'user',
    message: { role: 'user', content },
    ...more,
  })
  const used = (id: string, name: string, input: object) => ({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
  })
  const todos = [
    { content: 'Write tests', status: 'completed' },
    { content: 'Write docs', status: 'pending' },
  ]
  expect(
    events([
      { type: 'queue-operation', content: 'Hi' },
      user('Hi there'),
      user('<command-name>/clear</command-name>'),
      user('meta', { isMeta: true }),
      user('of a subagent', { isSidechain: true }),
      used('1', 'Bash', { command: 'npm test' }),
      user([{ type: 'tool_result', tool_use_id: '1', is_error: true, content: 'no' }]),
      used('2', 'Edit', { file_path: '/p/a.ts' }),
      used('3', 'Read', { file_path: '/p/b.ts' }),
      used('4', 'TodoWrite', { todos }),
      user([{ type: 'tool_result', tool_use_id: '9' }]),
    ]),
  ).toEqual([
    { kind: 'said', text: 'Hi there' },
    { kind: 'ran', command: 'npm test', isFailed: true },
    { kind: 'changed', file: '/p/a.ts' },
    { kind: 'planned', open: ['Write docs'] },
  ])
})

test('reads a transcript of Codex', () => {
  const item = (payload: object) => ({ type: 'response_item', payload })
  const called = (call_id: string, name: string, args: object) =>
    item({ type: 'function_call', name, call_id, arguments: JSON.stringify(args) })
  const output = (call_id: string, output: unknown) =>
    item({ type: 'function_call_output', call_id, output })
  const patch = '*** Begin Patch\n*** Update File: src/a.ts\n*** Add File: b.ts\n'
  expect(
    events([
      item({ type: 'message', role: 'developer', content: [{ text: 'You are Codex' }] }),
      item({ type: 'message', role: 'user', content: [{ text: '<environment_context>' }] }),
      item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }),
      called('a', 'shell', { command: ['bash', '-lc', 'make'] }),
      output('a', '{"output":"no","metadata":{"exit_code":2}}'),
      called('b', 'exec_command', { cmd: 'make all' }),
      output('b', 'Process exited with code 0\nOutput:'),
      item({ type: 'custom_tool_call', name: 'apply_patch', input: patch }),
      called('c', 'update_plan', { plan: [{ step: 'Ship', status: 'in_progress' }] }),
    ]),
  ).toEqual([
    { kind: 'said', text: 'Hello' },
    { kind: 'ran', command: 'make', isFailed: true },
    { kind: 'ran', command: 'make all', isFailed: false },
    { kind: 'changed', file: 'src/a.ts' },
    { kind: 'changed', file: 'b.ts' },
    { kind: 'planned', open: ['Ship'] },
  ])
})

test('reads a transcript of Gemini CLI', () => {
  const call = (name: string, args: object, result: unknown = null) => ({
    name,
    args,
    status: 'success',
    result,
  })
  const toolCalls = [
    call('run_shell_command', { command: 'ls x' }, [{ output: 'Exit Code: 2' }]),
    call('write_file', { file_path: '/p/a.ts' }),
  ]
  const user = { type: 'user', content: [{ text: 'Hello' }] }
  expect(events([{ $set: { messages: [user] } }, { type: 'gemini', toolCalls }])).toEqual([
    { kind: 'said', text: 'Hello' },
    { kind: 'ran', command: 'ls x', isFailed: true },
    { kind: 'changed', file: '/p/a.ts' },
  ])
})

test('skips broken and huge lines, and keeps a bounded number of pending commands', () => {
  const pending: PendingCommands = new Map()
  const content = Array.from({ length: 100 }, (_, at) => ({
    type: 'tool_use',
    id: `${at}`,
    name: 'Bash',
    input: { command: 'x' },
  }))
  const lines = [
    'not JSON',
    '{"type":"user","message":null}',
    '{"type":"user","message":{"content":[null,3,{"type":"text","text":5}]}}',
    '[1]',
    '{"$set":{"messages":[[[]]]}}',
    `{"type":"user","message":{"content":"${'x'.repeat(300_000)}"}}`,
    '['.repeat(100_000),
    `{"a":${'['.repeat(100_000)}`,
    JSON.stringify({ type: 'assistant', message: { content } }),
  ]
  expect(sessionEvents(lines, pending)).toEqual([])
  expect(pending.size).toBe(40)
})
