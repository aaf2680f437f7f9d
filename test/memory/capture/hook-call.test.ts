import { expect, test } from 'bun:test'
import { parseHookCall } from '../../../src/memory/capture/session-event.ts'

const parse = (input: object) => parseHookCall(JSON.stringify(input), 'codex', '/here')

test('reads the fields of each client', () => {
  expect(
    parse({
      session_id: 'a-1',
      transcript_path: '/t.jsonl',
      cwd: '/p',
      hook_event_name: 'UserPromptSubmit',
      prompt: 'Hi',
    }),
  ).toEqual({
    client: 'codex',
    event: 'prompt',
    session: 'a-1',
    transcript: '/t.jsonl',
    prompt: 'Hi',
    folder: '/p',
  })
  expect(parse({ conversation_id: 'c', hook_event_name: 'preCompact' })).toMatchObject({
    event: 'end',
    session: 'c',
    transcript: null,
    folder: '/here',
  })
  expect(parse({ hook_event_name: 'Stop' }).event).toBe('other')
})

test('makes names fit on one line of the inbox', () => {
  const { session, client } = parseHookCall('{"session_id":"a -->\\n## b"}', 'x y', '/')
  expect([session, client]).toEqual(['a----b', 'x-y'])
  expect(parse({ session_id: '__proto__' }).session).toBe('-proto-')
})

test('rejects input that is not a JSON object', () => {
  for (const input of ['', '[]', 'null', '{"a"']) {
    expect(() => parseHookCall(input, 'x', '/')).toThrow(
      'the input is not the JSON object that a hook sends',
    )
  }
})
