import { expect, test } from 'bun:test'
import { type OpenAiOptions, openOpenAiEmbedder } from '../../src/embed/openai.ts'
import { serveLocal } from '../support/servers/serve-local.ts'

type Asked = { path: string; authorization: string | null; model: string; input: string[] }
type Answer = (asked: Asked) => Response | Promise<Response>

// Each text is a number: the embedding of "7" has the direction [7, 1].
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
const said =
  (status: number, body: unknown): Answer =>
  () =>
    Response.json(body, { status })

const five = ['0', '1', '2', '3', '4']

test('sends texts in batches and returns embeddings in order', async () => {
  const asked = await check(floats, five, 'embeddings', { batchSize: 2, concurrency: 1 })
  expect(asked.map(({ input }) => input)).toEqual([['0', '1'], ['2', '3'], ['4']])
  expect(asked[0]).toMatchObject({
    path: '/v1/embeddings',
    authorization: 'Bearer sk-secret',
    model: 'any-model',
  })
})

test('does not mix parallel batches', () => {
  const slowFirst: Answer = async (asked) => {
    if (asked.input[0] === '0') await Bun.sleep(20)
    return floats(asked)
  }
  return check(slowFirst, five, 'embeddings', { batchSize: 1 })
})

test('sorts a response whose embeddings are in a different order', () =>
  check(backwards, five, 'embeddings'))
test('reads a response without indexes in order', () => check(withoutIndex, five, 'embeddings'))
test('reads embeddings in base64', () => check(base64, five, 'embeddings'))
test('sends no request for an empty list of texts', async () =>
  expect(await check(floats, [], 'embeddings')).toEqual([]))

test('accepts URLs with and without /v1', async () => {
  const pathFor = async (suffix: string) =>
    (await check(floats, ['1'], 'embeddings', {}, suffix)).map(({ path }) => path)
  expect(await pathFor('/')).toEqual(['/v1/embeddings'])
  expect(await pathFor('/api/v1/')).toEqual(['/api/v1/embeddings'])
  expect(await pathFor('/x/embeddings?version=2')).toEqual(['/x/embeddings?version=2'])
})

test('adds the prefix to queries but not to passages', async () => {
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
    model: 'any-model',
    dimensions: 2,
    pooling: 'endpoint',
    queryPrefix: 'query: ',
  })
})

test('retries 429 and 5xx', async () => {
  let nRequests = 0
  const answers = [said(429, {}), said(503, {}), floats]
  await check((asked) => answers[nRequests++]!(asked), ['1'], 'embeddings')
  expect(nRequests).toBe(3)
})

test('reports the setting to change if the dimensions differ', () =>
  check(floats, ['1'], 'of "any-model": they have 2 dimensions, the settings say 384', {
    dimensions: 384,
  }))

test('reports a rejected request clearly, without the key', async () => {
  const leaking = { error: { message: 'Incorrect API key provided:\n sk-secret' } }
  await check(said(401, leaking), ['1'], 'the key was refused (401)')
  await check(said(404, {}), ['1'], 'no such address or model "any-model" (404)')
  await check(said(400, leaking), ['1'], 'server answered 400: Incorrect API key provided: ***')
  await check(said(500, { error: 'out of memory' }), ['1'], 'answered 500: out of memory')
})

test('rejects a key that is not a valid header, without printing it', () => {
  const open = () => openOpenAiEmbedder({ ...settings('http://host.test'), apiKey: 'sk-se\ncret' })
  expect(open).toThrow('Cannot use embeddings.api_key: it contains spaces or non-ASCII characters')
})

test('rejects a missing URL', () => {
  const open = () => openOpenAiEmbedder(settings('host.test/v1'))
  expect(open).toThrow('Cannot use embeddings.base_url "host.test/v1": not an http address')
})

test('rejects malformed responses', async () => {
  const unusable = 'Cannot use the response from "'
  await check(said(200, 'hello'), ['1'], `${unusable}URL": not a list of embeddings: "hello"`)
  await check(said(200, { data: [{ embedding: null }] }), ['1'], unusable)
  const one = { index: 0, embedding: [1, 1] }
  await check(said(200, { data: [one] }), ['1', '2'], '1 embeddings, not one for each of 2 texts')
  await check(said(200, { data: [one, one] }), ['1', '2'], '2 embeddings, not one for each of 2')
  await check(said(200, { data: [{ index: 9, embedding: [1, 1] }] }), ['1'], 'not one for each')
  const odd = (...embedding: unknown[]) => said(200, { data: [{ index: 0, embedding }] })
  // Python writes NaN, which is not valid JSON; other servers write null instead.
  for (const value of ['x', '1', null, true, 1e300]) {
    await check(odd(1, value), ['1'], 'an embedding that is not all numbers')
  }
  await check(() => new Response('{"data": [{"embedding": [NaN, 1]}]}'), ['1'], 'not a list of')
  const nan = Buffer.from(new Uint8Array(new Float32Array([NaN, 1]).buffer)).toString('base64')
  await check(said(200, { data: [{ embedding: nan }] }), ['1'], 'not all numbers')
  await check(odd(0, 0), ['1'], 'an embedding of zeros')
  await check(odd(1, 2, 3), ['1'], 'of "any-model": they have 3 dimensions, the settings say 2')
})

test('retries after a truncated body', async () => {
  const whole = '{"data": [{"index": 0, "embedding": [1, 1]}]}'
  let nRequests = 0
  using server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        const sent = nRequests++ < 2 ? whole.slice(0, 20) : whole
        const head = `HTTP/1.1 200 OK\r\ncontent-length: ${whole.length}\r\nconnection: close`
        socket.end(`${head}\r\n\r\n${sent}`)
      },
    },
  })
  await using embedder = openOpenAiEmbedder(settings(`http://127.0.0.1:${server.port}`))
  expect(await embedder.embed(['1'])).toHaveLength(2)
  expect(nRequests).toBe(3)
})

test('waits as long as Retry-After says, and gives up if that is too long', async () => {
  const waits: number[] = []
  const http = { sleep: async (ms: number) => void waits.push(ms) }
  const later =
    (seconds: number): Answer =>
    () =>
      new Response('slow down', { status: 429, headers: { 'retry-after': `${seconds}` } })
  let nRequests = 0
  const twice: Answer = (asked) => (nRequests++ < 2 ? later(7) : floats)(asked)
  await check(twice, ['1'], 'embeddings', { http })
  expect(waits).toEqual([7000, 7000])
  await check(later(3600), ['1'], 'server answered 429: slow down', { http })
})

test('limits parallel requests across all callers', async () => {
  let [running, most] = [0, 0]
  using server = serverOf(async (asked) => {
    most = Math.max(most, ++running)
    await Bun.sleep(5)
    running--
    return floats(asked)
  })
  const options = { ...settings(server.url), batchSize: 1, concurrency: 2 }
  await using embedder = openOpenAiEmbedder(options)
  await Promise.all([embedder.embed(five), embedder.embed(five)])
  expect(most).toBe(2)
})

test('respects the token limit, but does not count queries', async () => {
  const counted: Answer = async (asked) =>
    Response.json({
      ...((await (await floats(asked)).json()) as object),
      usage: { total_tokens: 10 },
    })
  using server = serverOf(counted)
  const options = { ...settings(server.url), batchSize: 1, concurrency: 1, tokenLimit: 25 }
  await using embedder = openOpenAiEmbedder(options)
  const said = await embedder.embed(five).catch(String)
  expect(said).toContain('this run has sent about 30 tokens, embeddings.token_limit is 25')
  expect(server.asked).toHaveLength(3)
  expect(await embedder.embedQuery('1')).toHaveLength(2)
})

test('aborts pending requests when it is closed', async () => {
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

/** `expected` is 'embeddings' for the correct ones, or part of the error message. */
async function check(
  answer: Answer,
  texts: string[],
  expected: string,
  options: Partial<OpenAiOptions> = {},
  suffix = '/v1',
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
  const server = serveLocal(async (request) => {
    const { model, input } = (await request.json()) as { model: string; input: string[] }
    const { pathname, search } = new URL(request.url)
    const authorization = request.headers.get('authorization')
    asked.push({ path: pathname + search, authorization, model, input })
    return answer(asked.at(-1)!)
  })
  return { url: server.url.origin, asked, [Symbol.dispose]: () => void server.stop(true) }
}
