/**
 * Compares kinds of vector indexes: `npm run bench -- index --from STORE [--questions
 * A.jsonl,B.jsonl]`; JSON on stdout. It searches the first library of STORE, a store made by `npm
 * run bench -- scale --keep`, and works on copies of its tables, so STORE does not change. A
 * separate process builds each index. The queries are the `question` fields of all lines in the
 * given files (default: the questions of bench-mcp.ts), and points between three embeddings, as in
 * the check before publication.
 *
 * Reports the recall of the ten nearest rows by the number of partitions searched, and by the
 * number of index hits that are then ranked by their exact embeddings.
 */
import { cpSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { connect, Index, type Table } from '@lancedb/lancedb'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { trainingOptions } from '../../src/store/chunks/vector-index.ts'
import {
  interpolateQueries,
  nearestCount,
  exactNearest,
  sampleEmbeddings,
} from '../../src/store/chunks/recall-sample.ts'
import { readEntries } from '../../src/store/registry.ts'
import { openBuiltin } from '../model/memory-embedder.ts'
import { percentile, questions } from './bench-mcp.ts'
import { peakOf } from './process-figures.ts'

export type IndexBench = {
  from: string
  /** Files of questions; if empty, the questions of bench-mcp.ts. */
  questions: readonly string[]
  /** Names of `kinds`. */
  kinds: readonly string[]
}

/** Creates an index with this number of partitions (the square root of the number of rows). */
const kinds: Record<string, (parts: number) => Index> = {
  'IVF_RQ, 1 bit': (n) => Index.ivfRq({ ...trainingOptions, numPartitions: n, numBits: 1 }),
  'IVF_PQ, 48 bytes': (n) =>
    Index.ivfPq({ ...trainingOptions, numPartitions: n, numSubVectors: 48 }),
  'IVF_PQ, 96 bytes': (n) =>
    Index.ivfPq({ ...trainingOptions, numPartitions: n, numSubVectors: 96 }),
}
export const indexKinds = Object.keys(kinds)

/** Shares of the partitions to search, and numbers of index hits to rank by exact embeddings. */
const shares = [1 / 16, 1 / 5, 1 / 3]
const ranked = [100, 300]

export async function benchIndex(bench: IndexBench) {
  const [entry] = await readEntries(bench.from)
  const folder = resolve(bench.from, 'generations', entry!.live.id)
  const table = await (await connect(folder)).openTable('chunks')
  const rows = await table.countRows()
  const sample = (await sampleEmbeddings(table, {
    rows,
    dimensions: entry!.live.fingerprint!.dimensions,
  }))!
  const sets = {
    questions: await embedded(questionsOf(bench.questions)),
    between: interpolateQueries(sample.embeddings),
  }
  process.stderr.write('exact search\n')
  const all = Object.entries(sets).flatMap(([set, queries]) =>
    queries.map((query) => ({ set, query })),
  )
  const ids = await exactNearest(
    table,
    all.map(({ query }) => query),
  )
  const asked = all.map(({ set, query }, i) => ({
    set,
    query: [...query],
    nearest: ids[i]!.map(String),
  }))
  const found = []
  for (const kind of bench.kinds) {
    process.stderr.write(`${kind}\n`)
    found.push(await benchKind({ folder, kind, rows, asked }))
  }
  return { rows, threads: navigator.hardwareConcurrency, kinds: found }
}

type AskedPoint = { set: string; query: number[]; nearest: string[] }
type KindJob = { folder: string; kind: string; rows: number; asked: AskedPoint[] }

/** Measures an index on a copy in a separate process, so that the peak memory is only its own. */
async function benchKind(job: KindJob): Promise<unknown> {
  await using temp = await createTempFolder('og-bench-index')
  copyTable(join(job.folder, 'chunks.lance'), join(temp.path, 'chunks.lance'))
  const path = join(temp.path, 'job.json')
  await Bun.write(path, JSON.stringify({ ...job, folder: temp.path }))
  const command = [process.execPath, import.meta.path, path]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  const told = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`cannot build ${job.kind}`)
  return JSON.parse(told)
}

/** Links the data files instead of copying them, because LanceDB never changes a data file. */
function copyTable(from: string, to: string): void {
  const fragments = join(from, 'data')
  cpSync(from, to, { recursive: true, filter: (path) => path !== fragments })
  mkdirSync(join(to, 'data'))
  for (const name of readdirSync(fragments)) {
    symlinkSync(join(fragments, name), join(to, 'data', name))
  }
}

async function measure({ folder, kind, rows, asked }: KindJob) {
  const table = await (await connect(folder)).openTable('chunks')
  const before = new Set(readdirSync(join(folder, 'chunks.lance', '_indices')))
  const parts = Math.round(Math.sqrt(rows))
  const [started, processor] = [performance.now(), process.cpuUsage()]
  await table.createIndex('vector', { config: kinds[kind]!(parts), replace: true })
  const { user, system } = process.cpuUsage(processor)
  const build = {
    load: loadavg()[0]!,
    seconds: (performance.now() - started) / 1000,
    processorSeconds: (user + system) / 1e6,
    peakMegabytes: peakOf(process.pid),
  }
  const indices = join(folder, 'chunks.lance', '_indices')
  const added = readdirSync(indices).filter((name) => !before.has(name))
  const bytes = added
    .flatMap((name) =>
      readdirSync(join(indices, name), { recursive: true }).map((file) =>
        statSync(join(indices, name, String(file))),
      ),
    )
    .filter((it) => it.isFile())
    .reduce((sum, { size }) => sum + size, 0)
  const index = (await table.listIndices()).find(({ columns }) => columns.includes('vector'))!
  await table.prewarmIndex(index.name)
  const measured = []
  for (const share of shares) {
    for (const limit of ranked) {
      const probes = Math.ceil(share * parts)
      measured.push({ probes, ranked: limit, ...(await ask(table, { asked, probes, limit })) })
    }
  }
  return { kind, type: index.indexType, parts, megabytes: bytes / 1e6, build, asked: measured }
}

async function ask(
  table: Table,
  { asked, probes, limit }: { asked: AskedPoint[]; probes: number; limit: number },
) {
  const held = new Map<string, number[]>()
  const times = []
  const processor = process.cpuUsage()
  for (const { set, query, nearest } of asked) {
    const started = performance.now()
    const answer = await table
      .query()
      .nearestTo(Float32Array.from(query))
      .distanceType('dot')
      .nprobes(probes)
      .refineFactor(1)
      .select(['_distance'])
      .withRowId()
      .limit(limit)
      .toArrow()
    times.push(performance.now() - started)
    const ids = answer.batches.flatMap((batch) =>
      [...(batch.getChild('_rowid')!.toArray() as BigUint64Array)].map(String),
    )
    const best = new Set(ids.slice(0, nearestCount))
    const found = nearest.filter((id) => best.has(id)).length / nearest.length
    held.set(set, [...(held.get(set) ?? []), found])
  }
  const { user, system } = process.cpuUsage(processor)
  return {
    recall: Object.fromEntries([...held].map(([set, of]) => [set, mean(of)])),
    p50: percentile(times, 0.5),
    least: percentile(times, 0),
    processorMs: (user + system) / 1000 / asked.length,
    load: loadavg()[0]!,
  }
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Picks at most a hundred questions, evenly from all files. */
function questionsOf(files: readonly string[]): string[] {
  const lines = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== ''),
  )
  const all = lines.map((line): string => JSON.parse(line).question)
  const step = Math.max(1, Math.floor(all.length / 100))
  return files.length === 0 ? questions : all.filter((_, i) => i % step === 0).slice(0, 100)
}

async function embedded(texts: readonly string[]): Promise<Float32Array[]> {
  const { embedder } = await openBuiltin()
  await using open = embedder
  const embeddings = []
  for (const text of texts) embeddings.push((await open.embedQuery(text)).slice())
  return embeddings
}

if (import.meta.main) {
  const job = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as KindJob
  process.stdout.write(JSON.stringify(await measure(job)))
  process.exit(0)
}
