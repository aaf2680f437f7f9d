import { expect, test } from 'bun:test'
import { parseLine, lineTooLong } from '../../../src/mcp/stdio.ts'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

test('parses a message, a batch and an empty line', () => {
  expect(parseLine(JSON.stringify(ping))).toEqual([{ message: ping }] as never)
  expect(parseLine(JSON.stringify([ping, ping]))).toHaveLength(2)
  expect(parseLine('  \r')).toEqual([])
  expect(parseLine(`\ufeff${JSON.stringify(ping)}`)).toEqual([{ message: ping }] as never)
  const absent = JSON.stringify({ ...ping, params: null })
  expect(parseLine(absent)).toEqual([{ message: ping }] as never)
  const call = { ...ping, method: 'tools/call', params: { name: 'x', arguments: null } }
  const [called] = parseLine(JSON.stringify(call))
  expect(called).toEqual({ message: { ...call, params: { name: 'x' } } } as never)
})

test('rejects an invalid message with its id if it has one', () => {
  expect(parseLine('{')).toMatchObject([{ refusal: { id: null, error: { code: -32_700 } } }])
  expect(parseLine('{"id": "a"}')).toMatchObject([
    { refusal: { id: 'a', error: { code: -32_600 } } },
  ])
  expect(parseLine('[]')).toMatchObject([{ refusal: { id: null, error: { code: -32_600 } } }])
  expect(parseLine('[null, {"id": {}}]')).toMatchObject([
    { refusal: { id: null } },
    { refusal: { id: null } },
  ])
})

test('reports the id of an oversized line only if it is certain', () => {
  const idOf = (head: string, tail: string) => lineTooLong(head, tail, 9).id
  expect(idOf('{"jsonrpc":"2.0","id":7,"method"', 'x"}}')).toBe(7)
  expect(idOf('{"id": "a b", "x', '}')).toBe('a b')
  expect(idOf('{"method":"x","params":{', '}, "id": 12 }\n')).toBe(12)
  expect(idOf('{"method":"x","params":{"id":3,', '"id":4}}')).toBeNull()
  expect(lineTooLong('', '', 9).error.message).toBe('Message too large: more than 9 bytes')
})
