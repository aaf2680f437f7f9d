import { expect, test } from 'bun:test'
import { openReranker, type RerankerOptions } from '../../src/embed/reranker.ts'
import { serveLocal } from '../support/servers/serve-local.ts'

type Asked = { path: string; authorization: string | null; body: Record<string, unknown> }
type Answer = (asked: Asked) => Response | Promise<Response>

const texts = ['a', 'bbb', 'cc']

test('asks in the form of Text Embeddings Inference and sorts its scores by index', async () => {
  const { scores, asked } = await rerank(() =>
    Response.json([
      { index: 1, score: 0.9 },
      { index: 2, score: -3 },
      { index: 0, score: 0 },
    ]),
  )
  expect(scores).toEqual([0, 0.9, -3])
  const body = { query: 'which?', texts, truncate: true }
  expect(asked).toEqual([{ path: '/rerank', authorization: null, body }])
})

test('asks in the form of Cohere and Jina if a model is set', async () => {
  const answer = () =>
    Response.json({ id: 'x', results: [{ index: 2, relevance_score: 0.5, document: null }] })
  const { scores, asked } = await rerank(answer, { model: 'm', apiKey: ' key-1 ' }, '/v2/rerank')
  expect(scores).toEqual([null, null, 0.5])
  const body = { model: 'm', query: 'which?', documents: texts, top_n: 3 }
  expect(asked).toEqual([{ path: '/v2/rerank', authorization: 'Bearer key-1', body }])
})

test('sends no request for an empty list of texts', async () => {
  expect(await openReranker({ ...settings, url: 'http://127.0.0.1:1' })('which?', [])).toEqual([])
})

test('rejects answers without one number for each text', async () => {
  const rejects = (body: unknown, message: string) =>
    expect(rerank(() => Response.json(body))).rejects.toThrow(message)
  await rejects([], 'it is not a list of scores')
  await rejects({ data: [] }, 'it is not a list of scores')
  await rejects(null, 'it is not a list of scores')
  await rejects([null], 'it has no valid index for each of 3 texts')
  await rejects([{ index: 3, score: 1 }], 'it has no valid index for each of 3 texts')
  await rejects([{ index: -1, score: 1 }], 'it has no valid index for each of 3 texts')
  await rejects([{ index: 0.5, score: 1 }], 'it has no valid index for each of 3 texts')
  const twice = [0, 0].map((index) => ({ index, score: 1 }))
  await rejects(twice, 'it has no valid index for each of 3 texts')
  await rejects([{ index: 0, score: 'high' }], 'a score is not a number')
  await rejects([{ index: 0 }], 'a score is not a number')
  await expect(rerank(() => new Response('<html>'))).rejects.toThrow('it is not JSON')
  const long = () => new Response(' '.repeat(4_000_001))
  await expect(rerank(long)).rejects.toThrow('it has more than 4000000 bytes')
})

test('reports a refusal without its body, and does not ask again', async () => {
  let count = 0
  const refused = (status: number) => () => {
    count++
    return Response.json({ error: 'key-1 is wrong' }, { status })
  }
  for (const status of [403, 422, 429, 503]) {
    const error = await rerank(refused(status), { apiKey: 'key-1' }).catch((error) => error)
    expect(error.message).toContain(String(status))
    expect(error.message).not.toContain('key-1')
  }
  expect(count).toBe(4)
})

test('stops waiting at the limit, for the head or for the body of the answer', async () => {
  const slow = { timeoutMs: 100 }
  const never: Answer = () => new Promise(() => {})
  const half: Answer = () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          await Bun.sleep(30)
          controller.enqueue(new TextEncoder().encode(' '))
        },
      }),
    )
  for (const answer of [never, half]) {
    await expect(rerank(answer, slow)).rejects.toThrow('no answer in 100 ms')
  }
})

test('ends with the reason of an aborted signal', async () => {
  await using server = serve(() => new Promise(() => {}))
  const reranker = openReranker({ ...settings, url: server.url })
  const signal = AbortSignal.abort(new Error('interrupted'))
  await expect(reranker('which?', texts, signal)).rejects.toThrow('interrupted')
})

test('rejects an unusable address or key without printing secrets', () => {
  const open = (options: Partial<RerankerOptions>) => () =>
    openReranker({ ...settings, url: 'http://x.test', ...options })
  expect(open({ url: 'ftp://me:secret@x.test' })).toThrow(
    'Cannot use rerank.url "ftp://x.test": not an http address',
  )
  expect(open({ apiKey: 'a b' })).toThrow('Cannot use rerank.api_key: it contains spaces')
})

const settings: Omit<RerankerOptions, 'url'> = { apiKey: null, model: null, timeoutMs: 10_000 }

async function rerank(answer: Answer, options: Partial<RerankerOptions> = {}, path = '') {
  await using server = serve(answer)
  const reranker = openReranker({ ...settings, ...options, url: `${server.url}${path}` })
  return { scores: await reranker('which?', texts), asked: server.asked }
}

function serve(answer: Answer) {
  const asked: Asked[] = []
  const server = serveLocal(async (request) => {
    const { headers, url } = request
    const body = (await request.json()) as Asked['body']
    const authorization = headers.get('authorization')
    asked.push({ path: new URL(url).pathname, authorization, body })
    return answer(asked.at(-1)!)
  })
  const url = `http://127.0.0.1:${server.port}`
  return { url, asked, [Symbol.asyncDispose]: () => server.stop(true) }
}
