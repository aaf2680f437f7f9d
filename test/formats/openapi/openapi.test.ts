import { expect, test } from 'bun:test'
import { openApiPages } from '../../../src/formats/openapi/openapi.ts'
import { parsePages } from '../../../src/page/parse.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

const petstore = `openapi: 3.0.3
info: { title: Pet store, version: '1.2', description: All about pets. }
servers: [{ url: https://pets.example/v1 }]
paths:
  /pets/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string, format: uuid } }
    get:
      operationId: showPet
      summary: Shows a pet
      parameters:
        - $ref: '#/components/parameters/Limit'
      responses:
        '200':
          description: The pet
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Pet' }
              example: { name: Tom }
    put:
      deprecated: true
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
components:
  parameters:
    Limit:
      { name: limit, in: query, description: How many., schema: { type: integer, default: 10 } }
  schemas:
    Pet:
      type: object
      required: [name]
      properties:
        name: { type: string, description: Its name. }
        kind: { enum: [cat, dog] }
        friends: { type: array, items: { $ref: '#/components/schemas/Pet' } }
`

const page = (path: string, text: string) => ({ bytes: Buffer.from(text), path, url: 'x:/api' })

test('makes one page per operation, and a page that lists them', async () => {
  const pages = await parsePages(page('api/openapi.yaml', petstore))
  expect(pages.map(({ title, url }) => [title, url])).toEqual([
    ['Pet store', 'x:/api'],
    ['GET /pets/{id}', 'x:/api#GET%20/pets/%7Bid%7D'],
    ['PUT /pets/{id}', 'x:/api#PUT%20/pets/%7Bid%7D'],
  ])
  expect(pages[0]?.text).toContain('- `GET /pets/{id}`: Shows a pet')
  const text = pages[1]!.text
  for (const line of [
    '# GET /pets/{id}',
    'Operation `showPet`',
    '- `id` (in path, string (uuid), required)',
    '- `limit` (in query, integer, default 10): How many.',
    '### 200 The pet',
    '- `name` string, required: Its name.',
    '- `kind` "cat" | "dog"',
    '- `friends` array of Pet',
    '"name": "Tom"',
  ])
    expect(text).toContain(line)
  expect(pages[2]?.text).toContain('**Deprecated**')
  expect(pages[2]?.text).toContain('## Request body')
})

test('reads Swagger 2 with its body parameter and its response schemas', async () => {
  const swagger = {
    swagger: '2.0',
    info: { title: 'Old', version: '1' },
    host: 'x.org',
    basePath: '/v2',
    paths: {
      '/a': {
        post: {
          parameters: [
            { in: 'body', name: 'body', schema: { properties: { q: { type: 'string' } } } },
          ],
          responses: {
            200: { description: 'ok', schema: { type: 'array', items: { type: 'number' } } },
          },
        },
      },
    },
  }
  const [, post] = await openApiPages(JSON.stringify(swagger), 'swagger.json')
  expect(post?.text).toContain('- `q` string')
  expect(post?.text).toContain('`application/json` array of number')
})

test('terminates for circular references, deep unions and references to other files', async () => {
  const schemas: Record<string, unknown> = {
    S0: { type: 'string' },
    loop: { $ref: '#/components/schemas/loop' },
  }
  for (let at = 1; at < 40; at++) {
    const ref = { $ref: `#/components/schemas/S${at - 1}` }
    schemas[`S${at}`] = { allOf: [ref, ref, ref] }
  }
  const content = (name: string) => ({
    content: { 'a/b': { schema: { $ref: `#/components/schemas/${name}` } } },
  })
  const spec = {
    openapi: '3.1.0',
    info: {},
    components: { schemas },
    paths: {
      '/x': {
        get: {
          responses: { 200: content('S39'), 201: content('loop'), 202: { $ref: 'other.json#/x' } },
        },
      },
    },
  }
  const started = usedCpuMs()
  expect(await openApiPages(JSON.stringify(spec), 'a.json')).toHaveLength(2)
  expect(usedCpuMs() - started).toBeLessThan(2000)
})

test('rejects JSON and YAML that is not OpenAPI', async () => {
  for (const text of ['{}', '[1]', 'a: b', '{"openapi": "9"}', '{', 'a: &x [*x']) {
    await expect(openApiPages(text, 'openapi.json')).rejects.toThrow('not an OpenAPI description')
  }
})

test('survives schemas that refer to each other in many ways, and a cyclic example', async () => {
  const reference = { $ref: '#/components/schemas/B' }
  const properties = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`p${i}`, reference]))
  const schema = { type: 'object', properties }
  const response = { description: 'ok', content: { 'application/json': { schema } } }
  const spec = {
    openapi: '3.0.0',
    info: { title: 'X', version: '1' },
    paths: { '/x': { get: { responses: { 200: response } } } },
    components: { schemas: { B: { oneOf: Array.from({ length: 10 }, () => reference) } } },
  }
  const startedAt = usedCpuMs()
  await openApiPages(JSON.stringify(spec), 'x.json')
  expect(usedCpuMs() - startedAt).toBeLessThan(2000)
  const example = 'content: { application/json: { example: &a { x: *a } } }'
  const yaml = `openapi: 3.0.0\ninfo: { title: X }\npaths: { /x: { get: { responses: { '200': { description: ok, ${example} } } } } }\n`
  expect((await openApiPages(yaml, 'x.yaml')).length).toBe(2)
})
