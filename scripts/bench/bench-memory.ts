import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Embedder } from '../../src/embed/embedder.ts'
import { parseEntries } from '../../src/memory/entry.ts'
import { openMemory, type OpenMemory } from '../../src/memory/session.ts'
import { defaultMemorySettings } from '../../src/memory/settings.ts'
import type { Kernels } from '../../src/platform/kernels/kernels.ts'
import { openBuiltin } from '../model/memory-embedder.ts'

const root = join(import.meta.dir, '../..')
const work = join(root, 'build', 'bench-memory')
const child = join(import.meta.dir, 'bench-memory-child.ts')
const peerScript = join(import.meta.dir, 'bench-memory-peer.py')
const evalFolder = join(root, 'test', 'eval', 'memory')
const nEntries = 10_000

/**
 * Measures og's memory and, if `peer` names a folder with `env.sh`, the memory of the peer. Neither
 * of them uses embeddings unless the name of the figure says so. Times are medians in milliseconds;
 * the peer's functions run in its own process.
 */
export async function benchMemory(peer: string | null) {
  rmSync(work, { recursive: true, force: true })
  say('two processes append 500 entries each')
  const together = await appendTogether('ours', (folder, prefix) =>
    spawn('append', folder, prefix, '500'),
  )
  say('50 kills')
  const kills = await killed(50)
  say(`${nEntries} entries`)
  const { embedder, kernels } = await openBuiltin()
  await using _embedder = embedder
  const small = await plainWork(100, kernels)
  const large = await plainWork(nEntries, kernels)
  say('embedding')
  const embedded = await embeddedWork(embedder, kernels)
  const ours = { together, kills, at100: small, at10000: large, embedded }
  return { entries: nEntries, ours, peer: peer === null ? null : await benchPeer(peer) }
}

function say(what: string): void {
  process.stderr.write(`memory: ${what}\n`)
}

function spawn(...args: string[]) {
  return Bun.spawn([process.execPath, child, ...args], { stdout: 'pipe', stderr: 'inherit' })
}

type Child = { exited: Promise<number> }

/**
 * Counts how many of 1,000 entries are in the file after two processes have appended to it at the
 * same time, and times both processes.
 */
async function appendTogether(name: string, start: (folder: string, prefix: string) => Child) {
  const folder = join(work, name)
  mkdirSync(folder, { recursive: true })
  const started = performance.now()
  const codes = await Promise.all(['a', 'b'].map((prefix) => start(folder, prefix).exited))
  const seconds = (performance.now() - started) / 1000
  const text = readFileSync(join(folder, 'default', 'MEMORY.md'), 'utf8')
  const inFile = new Set(text.match(/entry [ab]\d+ of this process/g)).size
  return { exitCodes: codes, inFile, inIndex: await nIndexed(folder), seconds }
}

/**
 * Returns the number of benchmark entries in the index, as seen by a process that has just opened
 * the memory.
 */
async function nIndexed(folder: string): Promise<number> {
  await using memory = await open(folder, null, await plainKernels())
  await memory.sync()
  const select = `SELECT count(*) AS n FROM chunks WHERE text LIKE '%of this process%'`
  return memory.search.index.database.query<{ n: number }, []>(select).get()!.n
}

/** Kills writers at random moments. Every acknowledged entry must be in the file and the index. */
async function killed(nKills: number) {
  const folder = join(work, 'killed')
  const acknowledged: string[] = []
  for (let i = 0; i < nKills; i++) {
    const writer = spawn('append', folder, `k${i}-`, '100000')
    const output = new Response(writer.stdout).text()
    setTimeout(() => writer.kill('SIGKILL'), 100 + Math.random() * 200)
    await writer.exited
    // A killed writer may have left half a line at the end.
    acknowledged.push(...(await output).split('\n').slice(0, -1))
  }
  const inIndex = await nIndexed(folder)
  const text = readFileSync(join(folder, 'default', 'MEMORY.md'), 'utf8')
  const bodies = new Set(parseEntries(text).map(({ body }) => body))
  const lost = acknowledged.filter((name) => !bodies.has(`entry ${name} of this process`))
  const inFile = [...bodies].filter((body) => body.endsWith('of this process')).length
  return { kills: nKills, acknowledged: acknowledged.length, lost: lost.length, inFile, inIndex }
}

async function plainKernels(): Promise<Kernels> {
  const { openKernels } = await import('../../src/platform/kernels/kernels.ts')
  return openKernels(null)
}

function open(folder: string, embedder: Embedder | null, kernels: Kernels): Promise<OpenMemory> {
  return openMemory({
    root: folder,
    name: 'default',
    settings: defaultMemorySettings,
    embedder: embedder === null ? null : async () => embedder,
    kernels,
    warn: say,
  })
}

async function plainWork(size: number, kernels: Kernels) {
  const folder = fill(join(work, `plain-${size}`), size)
  await using memory = await open(folder, null, kernels)
  const started = performance.now()
  await memory.sync()
  const firstSyncMs = performance.now() - started
  const appendMs = await median(range(200), (i) => append(memory, i))
  const searchMs = await median(questions(), (query) => memory.recall({ query, mode: 'full-text' }))
  const bootstrapMs = await median(range(50), () => memory.bootstrap())
  const firstAnswerMs = await median(range(7), async () => {
    const process = spawn('first', folder, questions()[0]!)
    await new Response(process.stdout).text()
  })
  return { firstSyncMs, appendMs, searchMs, bootstrapMs, firstAnswerMs }
}

async function embeddedWork(embedder: Embedder, kernels: Kernels) {
  const folder = fill(join(work, 'embedded'), nEntries)
  await using memory = await open(folder, embedder, kernels)
  const started = performance.now()
  await memory.sync()
  await memory.search.embedAll(3_600_000)
  const embedAllSeconds = (performance.now() - started) / 1000
  await memory.recall({ query: questions()[0]! })
  const appendMs = await median(range(200), (i) => append(memory, i))
  await memory.search.embedAll(600_000)
  const hybridMs = await median(questions(), (query) => memory.recall({ query }))
  const bootstrapMs = await median(range(50), () => memory.bootstrap({ task: questions()[1]! }))
  return { embedAllSeconds, appendMs, hybridMs, bootstrapForTaskMs: bootstrapMs }
}

function append(memory: OpenMemory, i: number) {
  return memory.write({ file: 'MEMORY.md', content: `A note on retries and timeouts, number ${i}` })
}

/** Writes a MEMORY.md with `size` entries made from the changelogs of test/eval/memory. */
function fill(folder: string, size: number): string {
  const names = ['requests.md', 'httpx.md', 'ripgrep.md', 'tmux.md']
  const bodies = names.flatMap((name) =>
    parseEntries(readFileSync(join(evalFolder, name), 'utf8')).map(({ body }) => body),
  )
  const text = range(size).map((i) => {
    const day = new Date(Date.UTC(2020, 0, 1 + Math.floor(i / 5))).toISOString().slice(0, 10)
    return `\n## ${day} 10:00\n\n${bodies[i % bodies.length]} (note ${i})\n`
  })
  mkdirSync(join(folder, 'default'), { recursive: true })
  writeFileSync(join(folder, 'default', 'MEMORY.md'), `# Memory\n${text.join('')}`)
  return folder
}

function questions(): string[] {
  const lines = readFileSync(join(evalFolder, 'questions.jsonl'), 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line).question)
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i)
}

/** Returns the median time over the items, after two runs that do not count. */
async function median<T>(items: T[], run: (item: T) => Promise<unknown>): Promise<number> {
  for (const item of items.slice(0, 2)) await run(item)
  const times: number[] = []
  for (const item of items) {
    const started = performance.now()
    await run(item)
    times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!
}

async function benchPeer(folder: string) {
  const python = (...args: string[]) => {
    const line = `. ${JSON.stringify(join(folder, 'env.sh'))} && exec python "$@"`
    return Bun.spawn(['bash', '-c', line, 'bash', peerScript, ...args], {
      stdout: 'pipe',
      stderr: 'ignore',
    })
  }
  say('peer: two processes append 500 entries each')
  const together = await appendTogether('peer', (root, prefix) =>
    python('append', root, prefix, '500'),
  )
  const asked = join(work, 'questions.json')
  writeFileSync(asked, JSON.stringify(questions()))
  const figures = async (size: number) => {
    say(`peer: ${size} entries`)
    const filled = fill(join(work, `peer-${size}`), size)
    const worked = JSON.parse(await new Response(python('work', filled, asked).stdout).text())
    const firstAnswerMs = await median(range(5), () => python('first', filled, 'proxy').exited)
    return { ...worked, firstAnswerMs }
  }
  return { together, at100: await figures(100), at10000: await figures(nEntries) }
}

if (import.meta.main) {
  const peer = process.argv[2] ?? null
  process.stdout.write(`${JSON.stringify(await benchMemory(peer), null, 2)}\n`)
}
