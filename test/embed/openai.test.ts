import { expect, test } from 'bun:test'
import { type OpenAiOptions, openOpenAiEmbedder } from '../../src/embed/openai.ts'

type Asked = { path: string; authorization: string | null; model: string; input: string[] }
type Answer = (asked: Asked) => Response | Promise<Response>

// Texts are numbers: the embedding of "7" points along [7, 1].
const vectorOf = (text: string) => [Number(text), 1]
const floats: Answer = ({ input }) =>
  Response.json({ data: input.map((text, index) => ({ index, embedding: vectorOf(text) })) })
const backwards: Answer = ({ input }) =>
  Response.json({
    data: input.map((text, index) => ({ index, embedding: vectorOf(text) })).reverse(),
  })
const base64: Answer = ({ input }) =>
  Response.json({
    data: input.map((text, index) => {
      const bytes = new Uint8Array(new Float32Array(vectorOf(text)).buffer)
      return { index, embedding: Buffer.from(bytes).toString('base64') }
    }),
  })
const withoutIndex: Answer = ({ input }) =>
  Response.json({ data: input.map((text) => ({ embedding: vectorOf(text) })) })
const said = (status: number, body: unknown): Answer => () => Response.json(body, { status })

const five = ['0', '1', '2', '3', '4']

test('texts go out in batches and come back in order', async () => {
  const asked = await check(floats, five, 'embeddings', { batchSize: 2, concurrency: 1 })
  expect(asked.map(({ input }) => input)).toEqual([['0', '1'], ['2', '3'], ['4']])
  expect(asked[0]).toMatchObject({
    path: '/v1/embeddings', authorization: 'Bearer sk-secret', model: 'any-model',
  })
})

test('batches under way at once do not mix', () => {
  const slowFirst: Answer = async (asked) => {
    if (asked.input[0] === '0') await Bun.sleep(20)
    return floats(asked)
  }
  return check(slowFirst, five, 'embeddings', { batchSize: 1 })
})

test('an answer in another order is put in order', () => check(backwards, five, 'embeddings'))
test('an answer without indexes is in order', () => check(withoutIndex, five, 'embeddings'))
test('base64 is read', () => check(base64, five, 'embeddings'))
test('no texts, no request', async () => expect(await check(floats, [], 'embeddings')).toEqual([]))

test('addresses with and without /v1 are understood', async () => {
  const pathFor = async (suffix: string) =>
    (await check(floats, ['1'], 'embeddings', {}, suffix)).map(({ path }) => path)
  expect(await pathFor('/')).toEqual(['/v1/embeddings'])
  expect(await pathFor('/api/v1/')).toEqual(['/api/v1/embeddings'])
  expect(await pathFor('/x/embeddings?version=2')).toEqual(['/x/embeddings?version=2'])
})

test('a query has its prefix, a passage has none', async () => {
  const inputs: string[] = []
  using server = serverOf((asked) => {
    inputs.push(...asked.input)
    return Response.json({ data: [{ index: 0, embedding: [3, 4] }] })
  })
  await using embedder = openOpenAiEmbedder({ ...settings(server.url), queryPrefix: 'query: ' })
  expect([...(await embedder.embedQuery('a'))]).toEqual([Math.fround(0.6), Math.fround(0.8)])
  await embedder.embed(['a'])
  expect(inputs).toEqual(['query: a', 'a'])
  expect(embedder.fingerprint).toEqual({
    model: 'any-model', dimensions: 2, pooling: 'endpoint', queryPrefix: 'query: ',
  })
})

test('429 and 5xx are asked again', async () => {
  let nRequests = 0
  const answers = [said(429, {}), said(503, {}), floats]
  await check((asked) => answers[nRequests++]!(asked), ['1'], 'embeddings')
  expect(nRequests).toBe(3)
})

test('other dimensions are an error with the setting to change', () =>
  check(floats, ['1'], 'of "any-model": they have 2 dimensions, set are 384', { dimensions: 384 }))

test('refusals are clear, and do not print the key', async () => {
  const leaking = { error: { message: 'Incorrect API key provided:\n sk-secret' } }
  await check(said(401, leaking), ['1'], 'the key was refused (401)')
  await check(said(404, {}), ['1'], 'no such address or model "any-model" (404)')
  await check(said(400, leaking), ['1'], 'server answered 400: Incorrect API key provided: ***')
  await check(said(500, { error: 'out of memory' }), ['1'], 'answered 500: out of memory')
})

test('a key that fits in no header is refused unprinted', () => {
  const open = () => openOpenAiEmbedder({ ...settings('http://host.test'), apiKey: 'sk-se\ncret' })
  expect(open).toThrow('Cannot use embeddings.api_key: it holds spaces or characters outside ASCII')
})

test('no address is refused', () => {
  const open = () => openOpenAiEmbedder(settings('host.test/v1'))
  expect(open).toThrow('Cannot use embeddings.base_url "host.test/v1": not an http address')
})

test('answers that are none are errors', async () => {
  const unusable = 'Cannot use the answer of "'
  await check(said(200, 'hello'), ['1'], `${unusable}URL": not a list of embeddings: "hello"`)
  await check(said(200, { data: [{ embedding: null }] }), ['1'], unusable)
  const one = { index: 0, embedding: [1, 1] }
  await check(said(200, { data: [one] }), ['1', '2'], '1 embeddings, not one for each of 2 texts')
  await check(said(200, { data: [one, one] }), ['1', '2'], '2 embeddings, not one for each of 2')
  await check(said(200, { data: [{ index: 9, embedding: [1, 1] }] }), ['1'], 'not one for each')
  await check(said(200, { data: [{ index: 0, embedding: [1, 'x'] }] }), ['1'], 'not all numbers')
})

test('closing ends what is under way', async () => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  using server = serverOf(() => {
    reach()
    return new Promise<Response>(() => {})
  })
  const embedder = openOpenAiEmbedder(settings(server.url))
  const failed = embedder.embed(['1']).catch(String)
  await reached
  await embedder[Symbol.asyncDispose]()
  expect(await failed).toBe('OgError: Cannot embed: the embedder was closed')
})

/** `expected` is 'embeddings' (those of the texts), or part of the error. */
async function check(
  answer: Answer, texts: string[], expected: string,
  options: Partial<OpenAiOptions> = {}, suffix = '/v1',
): Promise<Asked[]> {
  using server = serverOf(answer)
  await using embedder = openOpenAiEmbedder({ ...settings(server.url + suffix), ...options })
  const outcome = await embedder.embed(texts).catch(String)
  if (typeof outcome === 'string') {
    expect(outcome.replace(`${server.url}/v1/embeddings`, 'URL')).toContain(expected)
    expect(outcome).not.toContain('sk-secret')
  } else {
    expect(expected).toBe('embeddings')
    expect([...outcome]).toEqual(texts.flatMap((text) => unit(vectorOf(text))))
  }
  return server.asked
}

function settings(baseUrl: string): OpenAiOptions {
  const http = { sleep: async () => {} }
  return { baseUrl, apiKey: 'sk-secret', model: 'any-model', dimensions: 2, http }
}

function unit(vector: number[]): number[] {
  const scale = 1 / Math.hypot(...vector)
  return vector.map((x) => Math.fround(x * scale))
}

function serverOf(answer: Answer) {
  const asked: Asked[] = []
  const server = Bun.serve({
    port: 0, hostname: '127.0.0.1',
    async fetch(request) {
      const { model, input } = (await request.json()) as { model: string; input: string[] }
      const { pathname, search } = new URL(request.url)
      const authorization = request.headers.get('authorization')
      asked.push({ path: pathname + search, authorization, model, input })
      return answer(asked.at(-1)!)
    },
  })
  return { url: server.url.origin, asked, [Symbol.dispose]: () => void server.stop(true) }
}
