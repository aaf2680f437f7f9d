/**
 * Measures the MCP server as an agent's host uses it over stdio: start, first answers, warm
 * searches, sixteen searches at the same time, memory, exit. The same client measures every server:
 * og, og with 100,000 chunks and, if `peer` names an installation, openground-mcp.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBigStore } from './big-store.ts'

type McpBench = {
  /** The `og` executable. */
  og: string
  /** Work folder. It is kept between runs, because indexing takes a minute. */
  work: string
  /** The documentation to index. */
  docs: string
  peer: string | undefined
  runs: number
}

export async function benchServers({ og, work, docs, peer, runs }: McpBench) {
  mkdirSync(work, { recursive: true })
  const env = { PATH: process.env.PATH, HOME: work }
  const store = join(work, '.local', 'share', 'og', 'index')
  const known = { command: [og, 'mcp'], library: 'fastapi', version: '1' }
  if (!existsSync(join(store, 'registry.json'))) {
    const add = Bun.spawn([og, 'add', 'fastapi', '-s', docs, '-v', '1'], { env, stdout: 'ignore' })
    if ((await add.exited) !== 0) throw new Error('cannot index the documentation')
  }
  process.stderr.write('og mcp\n')
  const ours = await benchMcp({ ...known, env }, { runs })
  const big = join(work, 'big')
  if (!existsSync(join(big, 'registry.json'))) {
    await createBigStore(big, { from: store, libraries: ['fastapi'], rows: 100_000 })
  }
  process.stderr.write('og mcp, 100,000 chunks\n')
  const many = await benchMcp({ ...known, env: { ...env, OG_DB_PATH: big } }, { runs: 1 })
  const peers = peer === undefined ? null : await benchPeer(peer, runs)
  return { ours, many, peer: peers, ratios: peers && ratios(peers, ours) }
}

/** The peer must have indexed FastAPI before: `openground add fastapi -s DOCS -y`. */
async function benchPeer(folder: string, runs: number): Promise<McpFigures> {
  process.stderr.write('openground-mcp\n')
  const line = `. ${JSON.stringify(join(folder, 'env.sh'))} && exec openground-mcp`
  const known = { command: ['bash', '-c', line], library: 'fastapi', version: '' }
  const server = { ...known, env: process.env }
  const client = connect(server)
  await client.initialize()
  const { structuredContent } = await client.call('list_libraries_tool', {})
  await client.end()
  const version = structuredContent.fastapi?.[0]
  if (version === undefined) throw new Error(`fastapi is not indexed in ${folder}`)
  return benchMcp({ ...server, version }, { runs })
}

function ratios(peer: McpFigures, ours: McpFigures) {
  return {
    initialize: peer.initialize / ours.initialize,
    listLibraries: peer.listLibraries / ours.listLibraries,
    firstSearch: peer.firstSearch / ours.firstSearch,
    warmP50: peer.warmP50 / ours.warmP50,
    warmP95: peer.warmP95 / ours.warmP95,
    parallel: ours.parallel / peer.parallel,
    resident: peer.afterFirst.resident / ours.afterFirst.resident,
    exit: peer.exit / ours.exit,
  }
}

/** A server to measure: the command that starts it, and the library to search. */
export type Measured = {
  command: string[]
  env: Record<string, string | undefined>
  library: string
  version: string
}

type McpFigures = {
  /** Seconds from the start of the process to the answer; median of `runs`. */
  initialize: number
  listLibraries: number
  firstSearch: number
  /** Milliseconds of searches that are sent one after the other. */
  warmP50: number
  warmP95: number
  /** Searches per second with sixteen in flight. */
  parallel: number
  /** Megabytes in memory. `anonymous` excludes file pages, which the system can reload. */
  before: Memory
  afterFirst: Memory
  afterAll: Memory
  /** Seconds from closing stdin to the exit of the process; median of `runs`. */
  exit: number
}

type Memory = { resident: number; anonymous: number }

export async function benchMcp(server: Measured, { runs }: { runs: number }): Promise<McpFigures> {
  const starts = []
  // The first start fills the system's file cache and is not counted.
  for (let i = 0; i <= runs; i++) starts.push(await measureStart(server))
  const counted = starts.slice(1)
  const middle = (of: (start: Start) => number) => percentile(counted.map(of), 0.5)
  const { before, afterFirst } = counted.at(-1)!
  return {
    initialize: middle((start) => start.initialize),
    listLibraries: middle((start) => start.listLibraries),
    firstSearch: middle((start) => start.firstSearch),
    before,
    afterFirst,
    ...(await measureWarm(server)),
    exit: middle((start) => start.exit),
  }
}

type Start = Awaited<ReturnType<typeof measureStart>>

async function measureStart(server: Measured) {
  const started = performance.now()
  const since = () => (performance.now() - started) / 1000
  const client = connect(server)
  await client.initialize()
  const initialize = since()
  await client.call('list_libraries_tool', {})
  const listLibraries = since()
  const before = memoryOf(client.pid)
  const asked = since()
  await client.search(questions[0]!)
  // Excludes the time spent reading the memory figures.
  const firstSearch = listLibraries + since() - asked
  const afterFirst = memoryOf(client.pid)
  return { initialize, listLibraries, firstSearch, before, afterFirst, exit: await client.end() }
}

async function measureWarm(server: Measured) {
  const client = connect(server)
  await client.initialize()
  for (const question of questions.slice(0, 5)) await client.search(question)
  const times = []
  for (let i = 0; i < 5 * questions.length; i++) {
    const started = performance.now()
    await client.search(questions[i % questions.length]!)
    times.push(performance.now() - started)
  }
  const parallel = await measureParallel(client)
  const afterAll = memoryOf(client.pid)
  await client.end()
  return { warmP50: percentile(times, 0.5), warmP95: percentile(times, 0.95), parallel, afterAll }
}

async function measureParallel(client: Client): Promise<number> {
  const all = 10 * questions.length
  let next = 0
  const ask = async () => {
    while (next < all) await client.search(questions[next++ % questions.length]!)
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: 16 }, ask))
  return all / ((performance.now() - started) / 1000)
}

type Client = ReturnType<typeof connect>

/** A minimal MCP client, so that its own cost hardly affects the figures. */
export function connect({ command, env, library, version }: Measured) {
  const child = Bun.spawn(command, { env, stdin: 'pipe', stdout: 'pipe', stderr: 'ignore' })
  const waiting = new Map<number, (message: any) => void>()
  let nextId = 0
  const send = (message: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    void child.stdin.flush()
  }
  const request = (method: string, params: object) => {
    const id = nextId++
    return new Promise<any>((resolve) => {
      waiting.set(id, resolve)
      send({ id, method, params })
    })
  }
  void readLines(child.stdout, (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  const call = async (name: string, given: object) => {
    const answer = await request('tools/call', { name, arguments: given })
    const isDone = answer.result !== undefined && !answer.result.isError
    if (!isDone) throw new Error(`${name}: ${JSON.stringify(answer)}`)
    return answer.result
  }
  return {
    pid: child.pid,
    async initialize() {
      const clientInfo = { name: 'bench', version: '1' }
      const protocolVersion = '2025-06-18'
      await request('initialize', { protocolVersion, capabilities: {}, clientInfo })
      send({ method: 'notifications/initialized' })
    },
    call,
    search: (query: string) =>
      call('search_documents_tool', { query, library_name: library, version }),
    async end() {
      const started = performance.now()
      child.stdin.end()
      await child.exited
      return (performance.now() - started) / 1000
    },
  }
}

async function readLines(
  stream: ReadableStream<Uint8Array>,
  onLine: (line: string) => void,
): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop()!
    lines.filter((line) => line.startsWith('{')).forEach(onLine)
  }
}

function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kilobytes = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)![1])
  return { resident: kilobytes('VmRSS') / 1000, anonymous: kilobytes('RssAnon') / 1000 }
}

export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
}

export const questions = [
  'how do I run work after the response is sent',
  'declare an optional query parameter',
  'validate the length of a string parameter',
  'return a different status code',
  'upload a file with a form',
  'read a cookie from the request',
  'add a custom header to a response',
  'use a dependency with yield',
  'OAuth2 with password and bearer token',
  'hash passwords',
  'CORS middleware allowed origins',
  'write a middleware that measures time',
  'connect to a SQL database',
  'split a bigger application into several files',
  'run background tasks',
  'serve static files',
  'test an application with a client',
  'debug in the editor',
  'customise the OpenAPI schema',
  'generate a client in TypeScript',
  'deploy with Docker',
  'number of worker processes',
  'behind a proxy with a path prefix',
  'use websockets',
  'lifespan events startup and shutdown',
  'response_model_exclude_unset',
  'nested models in a request body',
  'include_in_schema',
  'path parameter with an enum',
  'async def or def for path operations',
  'handle errors with HTTPException',
  'override dependencies',
]
