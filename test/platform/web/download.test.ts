import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { download, type DownloadOptions } from '../../../src/platform/web/download.ts'
import { sha256 } from '../../../src/platform/hash.ts'
import { until } from '../../support/until.ts'

const content = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 31 + (i >> 8)) & 255))
const half = content.length / 2

let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'og download ü-'))))
afterEach(() => rmSync(folder, { recursive: true }))

test('downloads a whole file with progress', async () => {
  const progress: number[] = []
  const asked = await check([{}], 'content', { onProgress: (done) => progress.push(done) })
  expect(asked).toEqual([{ range: null, ifRange: null }])
  expect(progress.at(-1)).toBe(content.length)
})

test('resumes an interrupted download of the same state of the file', async () => {
  const asked = await check([{ breakAt: half, etag: '"v1"' }, { etag: '"v1"' }], 'content')
  expect(asked[1]).toEqual({ range: `bytes=${half}-`, ifRange: '"v1"' })
})

test('does not use a weak tag for If-Range', async () => {
  const asked = await check([{ breakAt: half, etag: 'W/"v1"' }, {}], 'content')
  expect(asked[1]).toEqual({ range: `bytes=${half}-`, ifRange: null })
})

test('resumes the download of an earlier run', async () => {
  const breaks = [{ breakAt: half }, { breakAt: half }]
  await check(breaks, 'Error: connection was lost', { http: { attempts: 1 } })
  expect(readdirSync(folder)).toContain('file.partial')
  const asked = await check([{}], 'content')
  expect(asked[0]!.range).toBe(`bytes=${half}-`)
})

test('survives many interruptions while the file grows', async () => {
  const breaks = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
  const answers = breaks.map((part) => ({ breakAt: part * content.length }))
  await check([...answers, {}], 'content', { http: { attempts: 2 } })
})

test('ends a download that makes no progress', () => {
  // The first attempt receives data and the second none, and then two more receive none.
  const answers = Array(4).fill({ breakAt: 5 })
  return check(answers, 'Error: connection was lost', { http: { attempts: 2 } })
})

test('downloads everything again from a server without ranges', async () => {
  const asked = await check([{ breakAt: half }, { ignoreRange: true }], 'content')
  expect(asked[1]!.range).toBe(`bytes=${half}-`)
})

test('discards a partial file of another file', async () => {
  writeFileSync(join(folder, 'file.partial'), Buffer.alloc(half, 1))
  const asked = await check([{}, {}], 'content')
  expect(asked.map(({ range }) => range)).toEqual([`bytes=${half}-`, null])
})

test('discards a partial file that is too long or refused', async () => {
  writeFileSync(join(folder, 'file.partial'), Buffer.alloc(content.length + 1))
  expect((await check([{}], 'content'))[0]!.range).toBe(null)
  rmSync(join(folder, 'file'))
  writeFileSync(join(folder, 'file.partial'), Buffer.alloc(half))
  await check([{ status: 416 }, {}], 'content')
})

test('sends no request for a complete partial file', async () => {
  writeFileSync(join(folder, 'file.partial'), content)
  expect(await check([], 'content')).toEqual([])
})

test('fails on a wrong hash and leaves no file', async () => {
  const other = Buffer.alloc(content.length, 7)
  const wrong = `Error: sha256 is ${sha256(other)}, expected ${sha256(content)}`
  await check([{ content: other }], wrong)
  await check([{ content: Buffer.from('<html>') }], 'Error: sha256 is')
  expect(readdirSync(folder)).toEqual(['.download.lock'])
})

test('keeps the partial file if the server sends another file', async () => {
  const part = content.subarray(0, half)
  writeFileSync(join(folder, 'file.partial'), part)
  const page = { content: Buffer.from('<html>'), ignoreRange: true }
  await check([page], 'Error: the server sent 6 bytes, expected 300000')
  expect(readFileSync(join(folder, 'file.partial')).equals(part)).toBe(true)
  await check([{}], 'content')
})

test('rejects a file that is too long while it arrives', async () => {
  await check([{ content: Buffer.alloc(content.length * 2) }], 'Error: longer than 300000 bytes')
  expect(readdirSync(folder)).toEqual(['.download.lock'])
})

test('retries 429 and 500, but not 404', async () => {
  await check([{ status: 429 }, { status: 500 }, {}], 'content')
  rmSync(join(folder, 'file'))
  await check([{ status: 404 }], 'Error: server answered 404 Not Found')
})

test('downloads once if two programs need the file', async () => {
  using server = serverOf([{}])
  const urls = [server.url, server.url]
  await Promise.all(urls.map((url) => download(url, join(folder, 'file'), settings({}))))
  expect(readFileSync(join(folder, 'file')).equals(content)).toBe(true)
  expect(server.asked.length).toBe(1)
})

test('reports a folder that cannot be created', async () => {
  writeFileSync(join(folder, 'taken'), '')
  const path = join(folder, 'taken', 'file')
  const failed = download('http://127.0.0.1:1/', path, settings({}))
  await expect(failed).rejects.toThrow(`Cannot write to folder "${join(folder, 'taken')}"`)
})

type Answer = {
  status?: number
  /** Number of bytes after which the connection is destroyed. */
  breakAt?: number
  etag?: string
  ignoreRange?: boolean
  content?: Buffer
}

/** Downloads from a server that sends `answers` in turn; returns the requested ranges. */
async function check(
  answers: Answer[],
  expected: string,
  options: Partial<DownloadOptions> = {},
): Promise<Asked[]> {
  using server = serverOf(answers)
  const path = join(folder, 'file')
  const outcome = await download(server.url, path, settings(options)).then(() => 'content', String)
  if (expected === 'content') expect(outcome).toBe(expected)
  else expect(outcome).toContain(expected.replace('Error: ', ''))
  expect(existsSync(path)).toBe(expected === 'content')
  if (expected === 'content') expect(readFileSync(path).equals(content)).toBe(true)
  expect(server.asked.length).toBe(answers.length)
  return server.asked
}

function settings(options: Partial<DownloadOptions>): DownloadOptions {
  const http = { sleep: async () => {}, ...options.http }
  return { sha256: sha256(content), sizeBytes: content.length, ...options, http }
}

type Asked = { range: string | null; ifRange: string | null }

// Uses sockets, because a web server cannot break off at a given byte.
function serverOf(answers: Answer[]) {
  const asked: Asked[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (request) => {
      const fields = new Map(
        [...String(request).matchAll(/^([\w-]+): (.*?)\r$/gm)].map(([, name, value]) => [
          name!.toLowerCase(),
          value!,
        ]),
      )
      asked.push({ range: fields.get('range') ?? null, ifRange: fields.get('if-range') ?? null })
      answerOn(socket, answers[asked.length - 1] ?? { status: 500 }, fields.get('range'))
    })
  }).listen(0, '127.0.0.1')
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/file`
  return { url, asked, [Symbol.dispose]: () => void server.close() }
}

function answerOn(socket: Socket, answer: Answer, range?: string): void {
  const { status, breakAt, etag, ignoreRange, content: whole = content } = answer
  if (status !== undefined) {
    const reason = { 404: 'Not Found' }[status] ?? 'Failed'
    socket.end(`HTTP/1.1 ${status} ${reason}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
    return
  }
  const start = ignoreRange ? 0 : Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0)
  const head =
    start > 0
      ? `206 Partial Content\r\nContent-Range: bytes ${start}-${whole.length - 1}/${whole.length}`
      : '200 OK'
  const tag = etag ? `ETag: ${etag}\r\n` : ''
  socket.write(
    `HTTP/1.1 ${head}\r\n${tag}Content-Length: ${whole.length - start}\r\n` +
      'Connection: close\r\n\r\n',
  )
  socket.write(whole.subarray(start, breakAt))
  if (breakAt === undefined) return void socket.end()
  // Unread data is lost when the connection is destroyed.
  const arrived = () => statSync(join(folder, 'file.partial'), { throwIfNoEntry: false })?.size ?? 0
  void until('the part has arrived', () => arrived() >= breakAt).then(() => socket.destroy())
}
