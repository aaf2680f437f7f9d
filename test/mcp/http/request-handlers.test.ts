import { expect, test } from 'bun:test'
import {
  endStreamOn,
  openHandlers,
  onResponseSent,
} from '../../../src/mcp/http/request-handlers.ts'
import type { Face } from '../../../src/mcp/server.ts'
import { clientMeta, openMcpHome } from '../../support/mcp.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const home = disposeAfterAll(await openMcpHome())

function request(method: string, given = {}): Request {
  const params = { ...given, _meta: clientMeta }
  return new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

const changes = () =>
  request('subscriptions/listen', { notifications: { resourcesListChanged: true } })

test('closes the least recently used face and reopens it on request', async () => {
  const entries = openHandlers({ bodyBytes: 1_000, warn() {} })
  const [first, ...others] = Array.from({ length: 201 }, () => ({ ...home.face() }))
  const ask = async (face: Face, request: Request) =>
    entries.fetch(face, request, { clientId: null, body: await request.clone().bytes() })
  const stream = await ask(first!, changes())
  expect(stream.headers.get('content-type')).toStartWith('text/event-stream')
  const end = stream.text()
  for (const face of others) {
    const answer = await ask(face, request('tools/list'))
    expect(answer.status).toBe(200)
  }
  expect(await end).not.toContain('"error"')
  const again = await ask(first!, request('tools/list'))
  expect(await again.text()).toContain('search_documents_tool')
  await entries.close()
})

test('ends a change stream with its signals, but no other request', () => {
  const over = new AbortController()
  const stream = endStreamOn(changes(), [over.signal])
  const call = endStreamOn(request('tools/list'), [over.signal])
  over.abort()
  expect([stream.signal.aborted, call.signal.aborted]).toEqual([true, false])
})

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
