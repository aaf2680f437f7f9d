import { expect, test } from 'bun:test'
import { parseLine, refuseLong } from '../../../src/mcp/stdio/incoming.ts'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

test('a line is a message, a batch, or nothing', () => {
  expect(parseLine(JSON.stringify(ping))).toEqual([{ message: ping }] as never)
  expect(parseLine(JSON.stringify([ping, ping]))).toHaveLength(2)
  expect(parseLine('  \r')).toEqual([])
})

test('what is none is refused with the id that it has', () => {
  expect(parseLine('{')).toMatchObject([{ refusal: { id: null, error: { code: -32_700 } } }])
  expect(parseLine('{"id": "a"}')).toMatchObject([
    { refusal: { id: 'a', error: { code: -32_600 } } },
  ])
  expect(parseLine('[null, {"id": {}}]')).toMatchObject([
    { refusal: { id: null } },
    { refusal: { id: null } },
  ])
})

test('of a line that is too long the id is told only where it is surely its own', () => {
  const idOf = (head: string, tail: string) => refuseLong(head, tail, 9).id
  expect(idOf('{"jsonrpc":"2.0","id":7,"method"', 'x"}}')).toBe(7)
  expect(idOf('{"id": "a b", "x', '}')).toBe('a b')
  expect(idOf('{"method":"x","params":{', '}, "id": 12 }\n')).toBe(12)
  expect(idOf('{"method":"x","params":{"id":3,', '"id":4}}')).toBeNull()
  expect(refuseLong('', '', 9).error.message).toBe('Message too large: more than 9 bytes')
})
