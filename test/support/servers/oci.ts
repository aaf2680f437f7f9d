import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { sha256 } from '../../../src/platform/hash.ts'
import { until } from '../until.ts'
import { serveLocal } from './serve-local.ts'

export type OciStub = OciServer & {
  /** From now on sends `sent` instead of the bytes that were pushed. */
  swap(pushed: Uint8Array, sent: Uint8Array): void
}

export type OciServer = Disposable & {
  /** `127.0.0.1:PORT`. */
  host: string
  /** `GET /v2/…` with the status of each answer, in order. */
  requests: string[]
}

const login = `Basic ${btoa('ann:secret')}`
/** The file that `docker login` writes. */
export const dockerConfig = (host: string) =>
  JSON.stringify({ auths: { [host]: { auth: btoa('ann:secret') } } })

/**
 * A registry for pulling and pushing, as the distribution specification describes it. It issues
 * tokens (only for the login if `isPrivate`), and has digests, ranges, and blobs on another host.
 */
export function serveOci({ isPrivate = false } = {}): OciStub {
  const blobs = new Map<string, Uint8Array>()
  const tags = new Map<string, Uint8Array>()
  const requests: string[] = []
  const store = serveLocal((request) => {
    requests.push(`blob of ${request.headers.get('authorization') ?? 'nobody'}`)
    return ranged(request, blobs.get(new URL(request.url).pathname.slice(1))!)
  })
  const server = serveLocal(async (request) => {
    const response = await answer(request)
    const { pathname } = new URL(request.url)
    requests.push(`${request.method} ${pathname} ${response.status}`)
    return response
  })
  const host = `127.0.0.1:${server.port}`

  async function answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const said = request.headers.get('authorization')
    if (pathname === '/token') {
      if (isPrivate && said !== login) return new Response(null, { status: 401 })
      return Response.json({ token: `for-${btoa(searchParams.get('scope')!)}` })
    }
    const repository = /^\/v2\/(.+)\/(?:blobs|manifests)\//.exec(pathname)?.[1]
    const scope = `repository:${repository}:pull`
    const isPush = request.method !== 'GET'
    if (!isPush && said !== `Bearer for-${btoa(scope)}`) {
      const challenge = `Bearer realm="http://${host}/token",service="test",scope="${scope}"`
      return new Response(null, { status: 401, headers: { 'www-authenticate': challenge } })
    }
    const name = pathname.split('/').at(-1)!
    if (isPush) {
      const body = new Uint8Array(await request.arrayBuffer())
      if (pathname.includes('/manifests/')) tags.set(`${repository}:${name}`, body)
      else blobs.set(`sha256:${sha256(body)}`, body)
      if (pathname.includes('/manifests/')) tags.set(`${repository}:sha256:${sha256(body)}`, body)
      const headers = { location: '/v2/x/blobs/uploads/1' }
      return new Response(null, { status: request.method === 'POST' ? 202 : 201, headers })
    }
    if (pathname.includes('/manifests/')) {
      const found = tags.get(`${repository}:${name}`)
      return found ? new Response(found) : new Response(null, { status: 404 })
    }
    const headers = { location: `http://127.0.0.1:${store.port}/${name}` }
    return new Response(null, { status: blobs.has(name) ? 307 : 404, headers })
  }
  const close = () => void [server, store].map((it) => it.stop(true))
  const swap = (pushed: Uint8Array, sent: Uint8Array) =>
    void blobs.set(`sha256:${sha256(pushed)}`, sent)
  return { host, requests, swap, [Symbol.dispose]: close }
}

function ranged(request: Request, bytes: Uint8Array): Response {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '') ?? []
  if (from === undefined) return new Response(bytes)
  const part = bytes.subarray(Number(from), Number(to) + 1)
  const range = `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`
  return new Response(part, { status: 206, headers: { 'content-range': range } })
}

/** Starts Debian's docker-registry in a folder, with one login. */
export async function startDockerRegistry(folder: string): Promise<OciServer> {
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const host = `127.0.0.1:${port}`
  const hash = await Bun.password.hash('secret', { algorithm: 'bcrypt', cost: 4 })
  writeFileSync(join(folder, 'htpasswd'), `ann:${hash.replace('$2b$', '$2y$')}\n`)
  writeFileSync(
    join(folder, 'config.yml'),
    JSON.stringify({
      version: 0.1,
      log: { level: 'error' },
      http: { addr: host },
      storage: { filesystem: { rootdirectory: join(folder, 'data') } },
      auth: { htpasswd: { realm: 'test', path: join(folder, 'htpasswd') } },
    }),
  )
  const child = Bun.spawn(['docker-registry', 'serve', join(folder, 'config.yml')], {
    stdout: 'ignore',
    stderr: 'ignore',
    env: { PATH: process.env.PATH! },
  })
  await until('the registry answers', () =>
    fetch(`http://${host}/v2/`).then(
      ({ status }) => status === 401,
      () => false,
    ),
  )
  return { host, requests: [], [Symbol.dispose]: () => child.kill('SIGKILL') }
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => done(port))
    })
  })
}

/**
 * Pushes files as `oras push` does.
 * @returns the digest of the manifest
 */
export async function pushFiles(
  host: string,
  {
    repository,
    tag,
    files,
  }: { repository: string; tag: string; files: Record<string, Uint8Array> },
): Promise<string> {
  const base = `http://${host}/v2/${repository}`
  const send = async (url: string, method: string, init: RequestInit = {}) => {
    const headers = { authorization: login, ...(init.headers as object) }
    const response = await fetch(url, { ...init, method, headers })
    if (!response.ok)
      throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
    return response
  }
  const blob = async (bytes: Uint8Array) => {
    const digest = `sha256:${sha256(bytes)}`
    const { headers } = await send(`${base}/blobs/uploads/`, 'POST')
    const url = new URL(headers.get('location')!, base)
    url.searchParams.set('digest', digest)
    const type = { 'content-type': 'application/octet-stream' }
    await send(url.href, 'PUT', { body: bytes, headers: type })
    return { digest, size: bytes.length }
  }
  const none = await blob(Buffer.from('{}'))
  const empty = { mediaType: 'application/vnd.oci.empty.v1+json', ...none }
  const layers = []
  for (const [title, bytes] of Object.entries(files)) {
    const annotations = { 'org.opencontainers.image.title': title }
    layers.push({ mediaType: 'application/octet-stream', ...(await blob(bytes)), annotations })
  }
  const mediaType = 'application/vnd.oci.image.manifest.v1+json'
  const manifest = JSON.stringify({ schemaVersion: 2, mediaType, config: empty, layers })
  const headers = { 'content-type': mediaType }
  await send(`${base}/manifests/${tag}`, 'PUT', { body: manifest, headers })
  return `sha256:${sha256(manifest)}`
}
