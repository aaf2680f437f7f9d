import { expect, test } from 'bun:test'
import { jsonFault } from '../../src/platform/json.ts'

async function check(text: string, relaxed: boolean, expected: string | null): Promise<void> {
  const fault = await jsonFault(text, { relaxed })
  expect(fault && `${fault.line}:${fault.column} ${fault.what}`).toBe(expected)
}

test('reports line and column from 1, and the problem', async () => {
  await check('{"a": [1, "é"]}', false, null)
  await check('{\r\n  "a": 1\r\n  "b": 2\r\n}', false, '3:3 comma expected')
  await check('{\n"a": ', false, '2:6 value expected')
  await check('', false, '1:1 value expected')
  await check('{"a": 1} x', true, '1:10 invalid symbol')
})

test('allows comments and trailing commas only if relaxed', async () => {
  const text = '{\n  // why\n  "a": 1,\n}'
  await check(text, true, null)
  await check(text, false, '2:3 invalid comment token')
  await check('{"a": 1,\n}', false, '2:1 property name expected')
})

test('reports overly deep brackets without a stack overflow', async () => {
  const deep = await jsonFault('['.repeat(300_000), { relaxed: true })
  expect(deep).toEqual({ line: 1, column: 1, what: 'nested too deeply' })
  expect(await jsonFault(`${'['.repeat(500)}${']'.repeat(500)}`, { relaxed: false })).toBeNull()
})
