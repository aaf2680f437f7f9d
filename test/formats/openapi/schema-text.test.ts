import { expect, test } from 'bun:test'
import { renderParameters } from '../../../src/formats/openapi/openapi.ts'
import {
  referenceName,
  resolveReference,
  schemaLimits,
  renderProperties,
  schemaType,
} from '../../../src/formats/openapi/schema-text.ts'

const spec = {
  a: { 'b/c': { type: 'integer', format: 'int64' } },
  p: { name: 'q', in: 'query', schema: {} },
}

test('resolves references within the file and decodes their escapes', () => {
  expect(resolveReference(spec, { $ref: '#/a/b~1c' })).toBe(spec.a['b/c'])
  expect(resolveReference(spec, { $ref: '#/a/none' })).toEqual({ $ref: '#/a/none' })
  expect(resolveReference(spec, { $ref: '#/__proto__/x' })).toEqual({ $ref: '#/__proto__/x' })
  expect(referenceName({ $ref: '#/a/b~1c' })).toBe('b/c')
})

test('describes types and limits in a few words', () => {
  expect(schemaType(spec, { $ref: '#/a/b~1c' })).toBe('integer (int64)')
  expect(schemaType(spec, { oneOf: [{ type: 'string' }, { type: 'null' }] })).toBe('string | null')
  expect(schemaType(spec, { type: ['string', 'null'] })).toBe('string | null')
  expect(schemaLimits({ minimum: 1, default: 0, nullable: true })).toEqual([
    'at least 1',
    'default 0',
    'nullable',
  ])
  expect(
    renderProperties(spec, { properties: { x: { properties: { y: { type: 'string' } } } } }),
  ).toBe('- `x`\n  - `y` string')
  expect(renderParameters(spec, [[{ $ref: '#/p' }]])).toBe('## Parameters\n\n- `q` (in query)')
})

test('reads a schema once, however many operations refer to it', () => {
  let nReads = 0
  const Pet = {
    get properties() {
      nReads++
      return { name: { type: 'string' } }
    },
  }
  const shared = { components: { schemas: { Pet } } }
  const listOf = () => renderProperties(shared, { $ref: '#/components/schemas/Pet' })
  expect(listOf()).toBe('- `name` string')
  const nOnce = nReads
  for (let at = 0; at < 100; at++) expect(listOf()).toBe('- `name` string')
  expect(nReads).toBe(nOnce)
  expect(renderProperties({ ...shared }, Pet)).toBe('- `name` string')
})
