import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { loadConfig } from '../../src/config/load.ts'
import { openFace, type FaceOptions } from '../../src/mcp/face.ts'
import type { Face } from '../../src/mcp/server.ts'
import { serveOverStdio } from '../../src/mcp/stdio.ts'
import { openOg, type Og } from '../../src/open.ts'
import { writeFiles, type Files } from './repository.ts'

/** A store in a temporary home, with full-text search only. */
export type McpHome = AsyncDisposable & {
  path: string
  env: Record<string, string>
  /** Places for a server that was started in a project. */
  inProject: FaceOptions['places']
  og: Og
  add(library: string, version: string, files: Files): Promise<void>
  /** Counts calls only in the statistics file of this home. */
  face(options?: Partial<FaceOptions>): Face & AsyncDisposable
}

export async function openMcpHome(): Promise<McpHome> {
  const path = mkdtempSync(join(tmpdir(), 'og-mcp-'))
  const env = { HOME: path, OG_EMBEDDINGS__EMBEDDING_BACKEND: 'none' }
  const og = openOg(await loadConfig(env), () => {})
  const warn = () => {}
  const statsPath = join(path, 'stats.json')
  const places = { file: null, cwd: path, home: path, lists: path }
  const asks = { allowIngest: false, limit: 5, answerShape: 'og' as const, isInProject: true }
  const preset = { ...asks, self: ['false'], env, statsPath, places, warn }
  const user = `${path}-user`
  return {
    path,
    env,
    inProject: { file: null, cwd: path, home: user, lists: user },
    og,
    async add(library, version, files) {
      const folder = join(path, 'docs', library, version)
      writeFiles(folder, files)
      const source = { kind: 'local_path' as const, path: folder, baseUrl: 'doc:/' }
      await og.add({ library, version, source, lockTimeoutMs: 10_000 })
    },
    face: (options = {}) => openFace(og, { ...preset, ...options }),
    async [Symbol.asyncDispose]() {
      await og[Symbol.asyncDispose]()
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/** The client's description, which each request of the newest revision contains. */
export const clientMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A client that writes and reads JSON itself, so that the bytes on the wire are tested. */
export type RawClient = AsyncDisposable & {
  /** Everything the server sent, in order. */
  received: any[]
  warnings: string[]
  write(text: string | Uint8Array): void
  request(method: string, params?: object, id?: number | string): Promise<any>
  notify(method: string, params?: object): void
  call(name: string, given?: object): Promise<any>
  /** Returns the first message that `isIt` accepts, waiting for it if necessary. */
  next(isIt: (message: any) => boolean): Promise<any>
  /** Ends stdin; settles when the server has exited. */
  end(): Promise<void>
}

/** Serves a face over a pair of streams and initialises it with a revision before 2026. */
export async function connectRaw(
  face: Face,
  { revision = '2025-11-25', client: name = 'test' } = {},
): Promise<RawClient> {
  const client = openRaw(face)
  const clientInfo = { name, version: '1' }
  await client.request('initialize', { protocolVersion: revision, capabilities: {}, clientInfo })
  client.notify('notifications/initialized')
  return client
}

export function openRaw(face: Face): RawClient {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const received: any[] = []
  const warnings: string[] = []
  let told = Promise.withResolvers<void>()
  let rest = ''
  stdout.on('data', (bytes: Buffer) => {
    const lines = (rest + bytes.toString()).split('\n')
    rest = lines.pop()!
    received.push(...lines.map((line) => JSON.parse(line)))
    told.resolve()
    told = Promise.withResolvers()
  })
  const warn = (line: string) => void warnings.push(line)
  const { signal } = new AbortController()
  const done = serveOverStdio(face, { stdin, stdout, signal, warn })
  let nextId = 100
  const write = (text: string | Uint8Array) => void stdin.write(text)
  const send = (message: object) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  async function next(isIt: (message: any) => boolean): Promise<any> {
    for (;;) {
      const found = received.find(isIt)
      if (found !== undefined) return found
      await told.promise
    }
  }
  const request: RawClient['request'] = (method, params, id = nextId++) => {
    send({ id, method, params })
    return next((message) => message.id === id)
  }
  const end = async () => {
    stdin.end()
    await done
  }
  return {
    received,
    warnings,
    write,
    request,
    notify: (method, params) => send({ method, params }),
    call: async (name, given) => {
      const { result, error } = await request('tools/call', { name, arguments: given })
      return result ?? error
    },
    next,
    end,
    [Symbol.asyncDispose]: end,
  }
}
