import { expect, test } from 'bun:test'
import { onResponseSent } from '../../../src/mcp/http/response-sent.ts'

function sent(body: string | ReadableStream | null, status = 200) {
  const ends: string[] = []
  const headers = { 'X-Kind': 'a' }
  const answer = onResponseSent(new Response(body, { status, headers }), (failure) => {
    ends.push(failure?.message ?? 'end')
  })
  return { ends, answer }
}

test('leaves the response unchanged and calls back after the last byte', async () => {
  const { ends, answer } = sent('zither', 201)
  expect([answer.status, answer.headers.get('x-kind'), ends.length]).toEqual([201, 'a', 0])
  expect(await answer.text()).toBe('zither')
  expect(ends).toHaveLength(1)
  expect(sent(null, 202).ends).toHaveLength(1)
})

test('calls back on cancel and cancels the source', async () => {
  const cancelled: unknown[] = []
  const { ends, answer } = sent(new ReadableStream({ cancel: (why) => void cancelled.push(why) }))
  await answer.body!.cancel('gone')
  expect([ends.length, cancelled]).toEqual([1, ['gone']])
})

test('calls back once if the client leaves while the next piece is produced', async () => {
  const ends: unknown[] = []
  const left = Promise.withResolvers<unknown>()
  const source = () =>
    new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from('begun')),
      pull: () => left.promise.then(() => {}),
      cancel: left.resolve,
    })
  using server = Bun.serve({
    port: 0,
    fetch: () => onResponseSent(new Response(source()), (failure) => ends.push(failure)),
  })
  const client = new AbortController()
  const { body } = await fetch(server.url, { signal: client.signal })
  await body!.getReader().read()
  client.abort()
  await left.promise
  for (let i = 0; i < 10; i++) await new Promise(setImmediate)
  expect(ends).toEqual([null])
})

test('calls back with the failure of the source', async () => {
  const broken = new ReadableStream({ pull: () => Promise.reject(new Error('broken')) })
  const { ends, answer } = sent(broken)
  expect(answer.text()).rejects.toThrow('broken')
  await answer.text().catch(() => {})
  expect(ends).toEqual(['broken'])
})
