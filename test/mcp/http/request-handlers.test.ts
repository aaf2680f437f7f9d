import { expect, test } from 'bun:test'
import {
  endStreamOn,
  openHandlers,
  onResponseSent,
  openBodyLimiter,
  type BodyLimits,
} from '../../../src/mcp/http/request-handlers.ts'
import type { Face } from '../../../src/mcp/server.ts'
import { clientMeta, openMcpHome } from '../../support/mcp.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'
import { connect, type Socket } from 'node:net'
import { until } from '../../support/until.ts'
import { serveLocal } from '../../support/servers/serve-local.ts'

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

/** A server that answers with the length of each body, once `waits` has resolved. */
function serve(limits: Partial<BodyLimits> = {}, waits: Promise<void> = Promise.resolve()) {
  const seen = { requests: 0, complete: 0 }
  const bodies = openBodyLimiter({ bodyBytes: 1000, totalBytes: 3000, bodyMs: 10_000, ...limits })
  const server = serveLocal((request) => {
    seen.requests++
    return bodies.read(request, async (whole) => {
      seen.complete++
      await waits
      return new Response(`${whole.method} ${(await whole.text()).length}`)
    })
  })
  const {
    url: { href: url },
    port = 0,
  } = server
  return { url, port, bodies, seen, [Symbol.asyncDispose]: () => server.stop(true) }
}

async function post(url: string, body: string | ReadableStream): Promise<string> {
  const answer = await fetch(url, { method: 'POST', body })
  return `${answer.status} ${answer.headers.get('retry-after') ?? ''} ${await answer.text()}`
}

/** A client that announces a longer body than it sends. */
async function slowClient(port: number, sent: number): Promise<{ socket: Socket; said(): string }> {
  const socket = connect(port, '127.0.0.1')
  let said = ''
  socket.on('data', (piece) => void (said += String(piece)))
  socket.on('error', () => {})
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(sent)}`)
  return { socket, said: () => said }
}

function inPieces(count: number): ReadableStream {
  return new ReadableStream({
    async pull(controller) {
      if (count-- === 0) return controller.close()
      controller.enqueue(new Uint8Array(100))
      await Bun.sleep(1)
    },
  })
}

test('passes on complete bodies, whether sent at once or in pieces', async () => {
  await using server = serve()
  expect(await post(server.url, 'x'.repeat(1000))).toBe('200  POST 1000')
  expect(await post(server.url, inPieces(10))).toBe('200  POST 1000')
  expect(await (await fetch(server.url)).text()).toBe('GET 0')
})

test('rejects a body over the limit, announced or not', async () => {
  await using server = serve()
  expect(await post(server.url, 'x'.repeat(1001))).toStartWith('413')
  expect(await post(server.url, inPieces(11))).toStartWith('413')
})

test('limits the total size of all unanswered bodies', async () => {
  const release = Promise.withResolvers<void>()
  await using server = serve({}, release.promise)
  const silent = await slowClient(server.port, 0)
  const answered = [1, 2, 3].map(() => post(server.url, 'x'.repeat(1000)))
  await until('three bodies are complete', () => server.seen.complete === 3)
  expect(await post(server.url, 'x')).toStartWith('503 5 ')
  release.resolve()
  expect(await Promise.all(answered)).toEqual(Array(3).fill('200  POST 1000'))
  expect(await post(server.url, 'x')).toBe('200  POST 1')
  silent.socket.destroy()
})

test('rejects a body that takes too long and releases its bytes', async () => {
  await using server = serve({ bodyMs: 1000, totalBytes: 1000 })
  const slow = await slowClient(server.port, 999)
  await until('the body is rejected', () => slow.said().includes('408'))
  expect(await post(server.url, 'x'.repeat(1000))).toBe('200  POST 1000')
  const gone = await slowClient(server.port, 999)
  await until('its request has arrived', () => server.seen.requests === 3)
  gone.socket.destroy()
  await until('its bytes are released', async () => {
    return (await post(server.url, 'x'.repeat(1000))) === '200  POST 1000'
  })
})

test('rejects unfinished bodies soon after the server closes', async () => {
  await using server = serve()
  const slow = await slowClient(server.port, 10)
  await until('its request has arrived', () => server.seen.requests === 1)
  server.bodies.close()
  await until('the body is rejected', () => slow.said().includes('503'))
})
