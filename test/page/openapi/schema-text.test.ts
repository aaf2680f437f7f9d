import { expect, test } from 'bun:test'
import { parameterTable } from '../../../src/page/openapi/operation-text.ts'
import { referenceName, resolved } from '../../../src/page/openapi/reference.ts'
import { limitsOf, propertiesText, typeOf } from '../../../src/page/openapi/schema-text.ts'

const spec = {
  a: { 'b/c': { type: 'integer', format: 'int64' } },
  p: { name: 'q', in: 'query', schema: {} },
}

test('resolves references inside the file by their escapes', () => {
  expect(resolved(spec, { $ref: '#/a/b~1c' })).toBe(spec.a['b/c'])
  expect(resolved(spec, { $ref: '#/a/none' })).toEqual({ $ref: '#/a/none' })
  expect(resolved(spec, { $ref: '#/__proto__/x' })).toEqual({ $ref: '#/__proto__/x' })
  expect(referenceName({ $ref: '#/a/b~1c' })).toBe('b/c')
})

test('names types and limits in a few words', () => {
  expect(typeOf(spec, { $ref: '#/a/b~1c' })).toBe('integer (int64)')
  expect(typeOf(spec, { oneOf: [{ type: 'string' }, { type: 'null' }] })).toBe('string | null')
  expect(typeOf(spec, { type: ['string', 'null'] })).toBe('string | null')
  expect(limitsOf({ minimum: 1, default: 0, nullable: true })).toEqual([
    'at least 1',
    'default 0',
    'nullable',
  ])
  expect(
    propertiesText(spec, { properties: { x: { properties: { y: { type: 'string' } } } } }),
  ).toBe('- `x`\n  - `y` string')
  expect(parameterTable(spec, [[{ $ref: '#/p' }]])).toBe('## Parameters\n\n- `q` (in query)')
})
