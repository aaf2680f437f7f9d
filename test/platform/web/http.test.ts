import { expect, test } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'
import {
  bodyPieces,
  bodyText,
  type FetchOptions,
  fetchWithRetry,
  printableUrl,
} from '../../../src/platform/web/http.ts'
import { checkGrowth } from '../../support/pages/check-growth.ts'
import { serveLocal } from '../../support/servers/serve-local.ts'

const ok = () => new Response('fine')
const status =
  (code: number, headers = {}) =>
  () =>
    new Response(`no ${code}`, { status: code, headers })
const reset = (socket: Socket) => socket.resetAndDestroy()
const raw = (text: string) => (socket: Socket) => socket.end(text)

test('returns a response at once', () => check([ok], { text: 'fine', nRequests: 1, waits: 0 }))

test('retries 5xx', () =>
  check([status(500), status(503), ok], { text: 'fine', nRequests: 3, waits: 2 }))

test('waits for Retry-After on 429', async () => {
  const waits = await check([status(429, { 'retry-after': '7' }), ok], { text: 'fine', waits: 1 })
  expect(waits).toEqual([7000])
})

test('accepts a date in Retry-After', async () => {
  const date = new Date(Date.now() + 20_000).toUTCString()
  const waits = await check([status(503, { 'retry-after': date }), ok], { text: 'fine', waits: 1 })
  expect(waits[0]).toBeGreaterThan(15_000)
})

test('gives up if Retry-After exceeds the limit', () =>
  check([status(429, { 'retry-after': '3600' }), ok], { text: 'no 429', nRequests: 1, waits: 0 }))

test('doubles waits with jitter up to the limit', async () => {
  const options = { attempts: 6, backoffMs: 100, maxWaitMs: 1000 }
  const waits = await check(Array(6).fill(status(500)), { text: 'no 500', waits: 5 }, options)
  for (const [i, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(Math.min(100 * 2 ** i * 0.5, 1000))
    expect(wait).toBeLessThanOrEqual(Math.min(100 * 2 ** i * 1.5, 1000))
  }
})

test('returns responses with status 404 and 501', async () => {
  await check([status(404), ok], { text: 'no 404', nRequests: 1, waits: 0 })
  await check([status(501), ok], { text: 'no 501', nRequests: 1, waits: 0 })
})

test('retries a broken connection', () =>
  checkRaw([reset, raw('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine')], 'fine'))

test('retries an interrupted body', () => {
  const half = raw('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfi')
  return checkRaw([half, raw('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine')], 'fine')
})

test('times out if the server is silent before the headers or within the body', async () => {
  const silent = () => {}
  const stalled = (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfi')
  await checkRaw([silent], 'Error: Cannot fetch "URL": no answer within 0.05 s')
  await checkRaw([stalled], 'Error: Cannot fetch "URL": no answer within 0.05 s')
})

test('reports a refused connection and an unknown host at once', async () => {
  const refused = fetchWithRetry('http://127.0.0.1:1/x', { sleep: neverSleep }, textOf('x'))
  await expect(refused).rejects.toThrow('Cannot fetch "http://127.0.0.1:1/x": connection refused')
  const unknown = fetchWithRetry('http://host.invalid/', { sleep: neverSleep }, textOf('x'))
  await expect(unknown).rejects.toThrow('Cannot fetch "http://host.invalid/": host name')
})

test('aborts a wait and a request', async () => {
  const stopped = new Error('stopped')
  const inWait = new AbortController()
  const sleeping = status(500)
  setTimeout(() => inWait.abort(stopped), 30)
  using server = serveLocal(sleeping)
  const options = { backoffMs: 60_000, signal: inWait.signal }
  await expect(fetchWithRetry(server.url.href, options, textOf('x'))).rejects.toBe(stopped)
  await expect(fetchWithRetry(server.url.href, options, textOf('x'))).rejects.toBe(stopped)
})

test('stops reading a body if the caller aborts between two pieces', async () => {
  const stopped = new Error('stopped')
  const abort = new AbortController()
  const body = async function* () {
    for (const text of ['a', 'b', 'c']) yield Buffer.from(text)
  }
  const response = new Response(body())
  let nRead = 0
  const reading = async () => {
    for await (const _ of bodyPieces(response, { url: 'x:', signal: abort.signal })) {
      nRead++
      abort.abort(stopped)
    }
  }
  await expect(reading()).rejects.toBe(stopped)
  expect(nRead).toBe(1)
})

test('reads proxies from the environment', async () => {
  using server = serveLocal((request) => new Response(`proxied ${request.url}`))
  const module = new URL('../../../src/platform/web/http.ts', import.meta.url).href
  const script = `import { fetchWithRetry } from ${JSON.stringify(module)}
    console.log(await fetchWithRetry('http://hub.invalid/a', {}, (r) => r.text()))`
  const child = Bun.spawn([process.execPath, '-e', script], {
    env: { PATH: process.env.PATH, HTTP_PROXY: server.url.origin },
  })
  expect(await new Response(child.stdout).text()).toBe('proxied http://hub.invalid/a\n')
})

test('hides secrets in printed URLs', () => {
  expect(printableUrl('https://me:pw@host.test/a@b?x=1')).toBe('https://host.test/a@b?x=1')
  expect(printableUrl('http://host.test/?api_key=s&b=2')).toBe('http://host.test/?api_key=***&b=2')
})

/** Answers request i with `answers[i]`, and returns the waits between the requests. */
async function check(
  answers: (() => Response)[],
  expected: { text: string; nRequests?: number; waits: number },
  options: FetchOptions = {},
): Promise<number[]> {
  const waits: number[] = []
  let nRequests = 0
  using server = serveLocal(() => answers[nRequests++]!())
  const sleep = async (ms: number) => void waits.push(ms)
  const text = await fetchWithRetry(server.url.href, { sleep, ...options }, textOf(server.url.href))
  expect(text).toBe(expected.text)
  expect(waits.length).toBe(expected.waits)
  if (expected.nRequests !== undefined) expect(nRequests).toBe(expected.nRequests)
  return waits
}

/** Like `check`, for connections that no HTTP server would produce. */
async function checkRaw(answers: ((socket: Socket) => unknown)[], expected: string): Promise<void> {
  let nConnections = 0
  const server = createServer((socket) => {
    const answer = answers[Math.min(nConnections++, answers.length - 1)]!
    socket.on('error', () => {}).once('data', () => answer(socket))
  })
  const url = await listening(server)
  const options = { timeoutMs: 50, attempts: 2, sleep: async () => {} }
  const text = await fetchWithRetry(url, options, textOf(url, 50)).catch(String)
  server.close()
  expect(text.replace(url, 'URL').replace(/^\w*Error/, 'Error')).toBe(expected)
}

function listening(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as { port: number }).port}/`)
    })
  })
}

function textOf(url: string, timeoutMs = 60_000) {
  return (response: Response) => bodyText(response, { url, timeoutMs })
}

async function neverSleep(): Promise<void> {
  throw new Error('waited to try again')
}

test('prints a URL of many question marks without delay', async () => {
  const check = (text: (many: (piece: string) => string) => string) =>
    checkGrowth((length) => text((piece) => piece.repeat(length / piece.length)), printableUrl)
  await check((many) => many('?'))
  await check((many) => `http://a/${many('?KEY')}`)
  await check((many) => many('&key'))
  await check((many) => `http://${many(':')}`)
})
