/**
 * Measures `og serve` under the load of a team: `npm run bench -- serve [--from STORE] [--libraries
 * NAME] [--clients 16] [--searches N] [--runs N] [--against OG]`; JSON on stdout. The library
 * (default: FastAPI) is in STORE (default: the store made by `npm run eval`). All clients run in a
 * separate process, each with its own address, because the server limits the requests per address.
 *
 * The cost of a search is also reported in CPU time, which other load hardly affects:
 * `possibleASecond` is the number of searches per second that all threads of this machine could
 * answer if they did nothing else. OG is another executable; both are measured alternately, and the
 * ratios compare their medians.
 */
import { Agent, request } from 'node:http'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { readEntries } from '../../src/store/registry.ts'
import { percentile, questions } from './bench-mcp.ts'
import { processorMs, residentOf } from './process-figures.ts'

export type ServeBench = {
  og: string
  /** Another executable to compare with, or null. */
  against: string | null
  /** The store to serve; it is only read. */
  from: string
  library: string
  clients: number
  /** Number of searches per round, by all clients together. */
  searches: number
  runs: number
}

/** The figures of a round. Milliseconds are per search. */
type ServeRound = {
  searchesASecond: number
  p50: number
  p95: number
  p99: number
  /** CPU time of all threads of the server, and CPU time of its JavaScript thread alone. */
  processorMs: number
  mainThreadMs: number
}

export async function benchServe(bench: ServeBench) {
  const entries = await readEntries(bench.from)
  const entry = entries.find(({ library }) => library === bench.library)
  if (entry === undefined) throw new Error(`${bench.library} is not in ${bench.from}`)
  const programs = [bench.og, ...(bench.against === null ? [] : [bench.against])]
  await using home = await createTempFolder('og-bench-serve')
  const servers: Server[] = []
  try {
    for (const og of programs) servers.push(await start(og, home.path, bench))
    const rounds = servers.map((): ServeRound[] => [])
    for (let i = 0; i < bench.runs; i++) {
      process.stderr.write(`round ${i + 1} of ${bench.runs}\n`)
      for (const [k, server] of servers.entries()) rounds[k]!.push(await measure(server, bench))
    }
    const [ours, against] = servers.map((server, k) => summary(rounds[k]!, server))
    const { clients, searches, runs } = bench
    const { chunks } = entry.live
    const head = { library: bench.library, chunks, clients, searches, runs, threads }
    return { ...head, ours, against: against ?? null, ratios: against && ratios(ours!, against) }
  } finally {
    for (const server of servers) await server.stop()
  }
}

const threads = navigator.hardwareConcurrency

type Summary = ServeRound & { possibleASecond: number; residentMegabytes: number }

function summary(rounds: ServeRound[], { pid }: Server): Summary {
  const middle = (of: (round: ServeRound) => number) => percentile(rounds.map(of), 0.5)
  const processorMs = middle((round) => round.processorMs)
  return {
    searchesASecond: middle((round) => round.searchesASecond),
    possibleASecond: (threads * 1000) / processorMs,
    p50: middle((round) => round.p50),
    p95: middle((round) => round.p95),
    p99: middle((round) => round.p99),
    processorMs,
    mainThreadMs: middle((round) => round.mainThreadMs),
    residentMegabytes: residentOf(pid),
  }
}

function ratios(ours: Summary, against: Summary) {
  return {
    searchesASecond: ours.searchesASecond / against.searchesASecond,
    processor: against.processorMs / ours.processorMs,
    mainThread: against.mainThreadMs / ours.mainThreadMs,
    p50: against.p50 / ours.p50,
    resident: against.residentMegabytes / ours.residentMegabytes,
  }
}

type Server = { url: string; pid: number; stop(): Promise<void> }

/** Starts a server and warms it up with each question. */
async function start(
  og: string,
  home: string,
  { from, library, clients }: ServeBench,
): Promise<Server> {
  const { PATH, OG_CACHE_DIR } = process.env
  const env = { PATH, OG_CACHE_DIR, HOME: home, OG_DB_PATH: from }
  const command = [og, 'serve', '--port', '0', '--no-page', '--warm', library]
  const child = Bun.spawn(command, { env, stdout: 'pipe', stderr: 'inherit' })
  const { value: line } = await child.stdout.getReader().read()
  const url = new TextDecoder().decode(line).trim()
  const stop = async () => {
    child.kill('SIGTERM')
    await child.exited
  }
  if (!url.startsWith('http')) {
    await stop()
    throw new Error(`${og} serve has not said where`)
  }
  await ask({ url, library, clients, searches: 2 * questions.length })
  return { url, pid: child.pid, stop }
}

async function measure(
  { url, pid }: Server,
  { library, clients, searches }: ServeBench,
): Promise<ServeRound> {
  const [all, main] = [processorMs(pid), processorMs(`${pid}/task/${pid}`)]
  const { times, seconds } = await ask({ url, library, clients, searches })
  return {
    searchesASecond: searches / seconds,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    p99: percentile(times, 0.99),
    processorMs: (processorMs(pid) - all) / searches,
    mainThreadMs: (processorMs(`${pid}/task/${pid}`) - main) / searches,
  }
}

type Asking = { url: string; library: string; clients: number; searches: number }

/** `times` contains the milliseconds of each search. */
type Asked = { times: number[]; seconds: number }

/** Runs the clients in a separate process, so that their work is not counted as the server's. */
async function ask(asking: Asking): Promise<Asked> {
  const command = [process.execPath, import.meta.path, JSON.stringify(asking)]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  const told = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('the clients have not been answered')
  return JSON.parse(told) as Asked
}

async function askAll({ url, library, clients, searches }: Asking): Promise<Asked> {
  let next = 0
  const times: number[] = []
  const client = async (_: unknown, i: number) => {
    const localAddress = `127.0.0.${i + 2}`
    const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress })
    while (next < searches) {
      const query = questions[next++ % questions.length]!
      const started = performance.now()
      await search({ url, agent }, { query, library_name: library })
      times.push(performance.now() - started)
    }
    agent.destroy()
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: clients }, client))
  return { times, seconds: (performance.now() - started) / 1000 }
}

const headers = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2025-06-18',
}

/** @throws Error if the answer has no passage */
async function search({ url, agent }: { url: string; agent: Agent }, given: object): Promise<void> {
  const params = { name: 'search_documents_tool', arguments: given }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const text = await new Promise<string>((resolve, reject) => {
    const asked = request(url, { method: 'POST', agent, headers }, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('end', () => resolve(Buffer.concat(pieces).toString()))
      answer.on('error', reject)
    })
    asked.on('error', reject)
    asked.end(body)
  })
  if (!text.includes('"rank":1')) throw new Error(text.slice(0, 500))
}

if (import.meta.main) {
  process.stdout.write(JSON.stringify(await askAll(JSON.parse(process.argv[2]!))))
}
