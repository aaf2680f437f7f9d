import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { sha256 } from '../../../src/platform/hash.ts'

export type PackServer = Disposable & {
  url: string
  /** Size of each body that was sent, in bytes. */
  sent: number[]
  serve(path: string): void
  /** The connection breaks once after this many bytes of a body; 0 means never. */
  breakAfter: number
}

/** Serves one pack as any server does, with ranges and an ETag unless configured otherwise. */
export async function servePack(
  path: string,
  { hasRanges = true, hasEtag = true } = {},
): Promise<PackServer> {
  let bytes = readFileSync(path)
  const sent: number[] = []
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, served.url)
    if (!pathname.endsWith('.ogpack')) return void response.writeHead(404).end()
    const etag = `"${sha256(bytes)}"`
    const condition = request.headers['if-range']
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
    const isRange = hasRanges && range !== null && (condition === undefined || condition === etag)
    const from = isRange ? Number(range[1]) : 0
    const end = isRange && range[2] ? Math.min(Number(range[2]) + 1, bytes.length) : bytes.length
    const body = bytes.subarray(from, end)
    response.writeHead(isRange ? 206 : 200, {
      'content-length': body.length,
      ...(hasEtag ? { etag } : {}),
      ...(isRange ? { 'content-range': `bytes ${from}-${end - 1}/${bytes.length}` } : {}),
    })
    const breakAfter = body.length > served.breakAfter ? served.breakAfter : 0
    sent.push(breakAfter || body.length)
    if (breakAfter === 0) return void response.end(body)
    served.breakAfter = 0
    response.write(body.subarray(0, breakAfter), () => void response.socket!.end())
  })
  const served: PackServer = {
    url: '',
    sent,
    breakAfter: 0,
    serve: (other) => void (bytes = readFileSync(other)),
    [Symbol.dispose]: () => void server.close().closeAllConnections(),
  }
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/lamp.ogpack`
  return served
}

export type FolderServer = Disposable & { url: string; statuses: number[] }

/** Serves a folder as any server does: with ETags, and 304 if they match. */
export async function serveFolder(folder: string): Promise<FolderServer> {
  const statuses: number[] = []
  const server = createServer((request, response) => {
    const path = join(folder, new URL(request.url!, 'http://x').pathname)
    const bytes = existsSync(path) ? readFileSync(path) : null
    const etag = bytes && `"${sha256(bytes)}"`
    const isSame = etag !== null && request.headers['if-none-match'] === etag
    const status = bytes === null ? 404 : isSame ? 304 : 200
    statuses.push(status)
    response.writeHead(status, etag ? { etag } : {}).end(status === 200 ? bytes : undefined)
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, statuses, [Symbol.dispose]: () => void server.close().closeAllConnections() }
}
