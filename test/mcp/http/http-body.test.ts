import { connect, type Socket } from 'node:net'
import { expect, test } from 'bun:test'
import { openBodyLimiter, type BodyLimits } from '../../../src/mcp/http/http-body.ts'
import { until } from '../../support/until.ts'
import { serveLocal } from '../../support/servers/serve-local.ts'

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
