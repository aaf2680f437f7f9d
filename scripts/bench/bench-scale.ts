/**
 * Measures stores of many chunks: `npm run bench -- scale [--sizes 10000,100000,1000000] [--from
 * STORE] [--libraries A,B] [--bucket s3://…] [--searches N] [--minutes N] [--work DIR] [--keep]`;
 * JSON on stdout. big-store.ts describes their contents. STORE contains embedded libraries (default
 * `build/eval/store`, made by `npm run eval`); `--libraries` selects some of them. Each store is
 * built in its own process, measured and deleted: a million chunks need 5 GB in DIR (default: a
 * temporary folder). If `--keep` is given, stores stay in DIR, and an existing store is measured as
 * it is.
 *
 * `--bucket` is a URL on an S3 server, which the usual variables configure (AWS_ENDPOINT_URL_S3,
 * AWS_ACCESS_KEY_ID, …). Each store is copied there. Then new processes and a server search it,
 * first with an empty cache and then with a filled one.
 *
 * `--minutes`: sixteen clients put load on each server for this long, and its memory is read every
 * minute.
 */
import { existsSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { sizeOnDisk } from '../../src/platform/file/space.ts'
import { readEntries } from '../../src/store/registry.ts'
import { connect, percentile, questions } from './bench-mcp.ts'
import { processorMs, residentOf } from './process-figures.ts'

export type ScaleBench = {
  og: string
  from: string
  libraries: readonly string[]
  sizes: readonly number[]
  work: string
  bucket: string | null
  /**
   * `runs` is the number of new processes that search once. `searches` is the number of searches by
   * one client, and again by sixteen clients together.
   */
  runs: number
  searches: number
  minutes: number
  /** How long a warmed server may read in the background before the measurement. */
  settleMs: number
  isKept: boolean
}

export async function benchScale(bench: ScaleBench) {
  const found = []
  for (const size of bench.sizes) {
    process.stderr.write(`${size} chunks\n`)
    const store = join(bench.work, `store-${size}`)
    const remove = () => rmSync(store, { recursive: true, force: true })
    if (!bench.isKept) remove()
    try {
      found.push({ size, ...(await benchStore(bench, store, size)) })
    } finally {
      if (!bench.isKept) remove()
    }
  }
  return { threads: navigator.hardwareConcurrency, sizes: found }
}

async function benchStore(bench: ScaleBench, store: string, size: number) {
  const isThere = existsSync(join(store, 'registry.json'))
  const build = isThere ? null : await built(bench, store, size)
  const [entry] = await readEntries(store)
  const { library, version, live } = entry!
  const generation = join(store, 'generations', live.id)
  const env = { PATH: process.env.PATH, HOME: join(bench.work, 'home'), OG_DB_PATH: store }
  const index = await Bun.file(join(generation, 'vector-index.json'))
    .json()
    .catch(() => null)
  const asked = { library, version, env }
  return {
    pages: live.pages,
    build,
    megabytes: (await sizeOnDisk(generation)) / 1e6,
    index,
    cold: await benchCold(bench, asked),
    ...(await benchWarm(bench, asked)),
    bucket: bench.bucket === null ? null : await benchBucket(bench, bench.bucket, asked),
  }
}

/** Builds a store in its own process, so that its peak memory can be read. */
async function built({ from, libraries }: ScaleBench, store: string, rows: number) {
  const script = join(import.meta.dir, 'big-store.ts')
  const { env } = process
  return timed([process.execPath, script, store, from, String(rows), ...libraries], env)
}

async function timed(command: string[], env: Record<string, string | undefined>) {
  const started = performance.now()
  const child = Bun.spawn(command, { env, stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`)
  const usage = child.resourceUsage()!
  return {
    load: loadavg()[0]!,
    seconds: (performance.now() - started) / 1000,
    processorSeconds: Number(usage.cpuTime.total) / 1e6,
    peakMegabytes: usage.maxRSS / 1e6,
  }
}

type Asked = { library: string; version: string; env: Record<string, string | undefined> }

/** Times whole commands, each with a different question. Calls `prepare` before each command. */
async function benchCold(
  { og, runs }: ScaleBench,
  { library, env }: Asked,
  prepare: (() => void) | null = null,
) {
  const times = []
  const processor = []
  // The first run fills the system's file cache and does not count.
  for (let i = -1; i < runs; i++) {
    const question = questions[(i + questions.length) % questions.length]!
    prepare?.()
    const started = performance.now()
    const child = Bun.spawn([og, 'query', question, '-l', library, '-k', '3'], {
      env,
      stdout: 'ignore',
      stderr: 'pipe',
    })
    if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text())
    if (i < 0) continue
    times.push((performance.now() - started) / 1000)
    processor.push(Number(child.resourceUsage()!.cpuTime.total) / 1e6)
  }
  const processorSeconds = percentile(processor, 0.5)
  return { load: loadavg()[0]!, seconds: spread(times), processorSeconds }
}

async function benchWarm({ og, searches, minutes, settleMs }: ScaleBench, asked: Asked) {
  const client = connect({ ...asked, command: [og, 'mcp'] })
  await client.initialize()
  for (const question of questions) await client.search(question)
  // Waits until the server has read everything that its first searches request in the background.
  await Bun.sleep(settleMs)
  const measured = async (clients: number, isDone: (asked: number) => boolean) => {
    let next = 0
    const times: number[] = []
    const ask = async () => {
      while (!isDone(next)) {
        const started = performance.now()
        await client.search(questions[next++ % questions.length]!)
        times.push(performance.now() - started)
      }
    }
    const [started, processor] = [performance.now(), processorMs(client.pid)]
    await Promise.all(Array.from({ length: clients }, ask))
    return {
      searches: times.length,
      load: loadavg()[0]!,
      milliseconds: spread(times),
      processorMs: (processorMs(client.pid) - processor) / times.length,
      searchesASecond: times.length / ((performance.now() - started) / 1000),
    }
  }
  const resident = () => residentOf(client.pid)
  const asMany = (asked: number) => asked >= searches
  const one = await measured(1, asMany)
  const sixteen = await measured(16, asMany)
  const residentMegabytes = resident()
  const perMinute: number[] = []
  const reading = setInterval(() => perMinute.push(resident()), 60_000)
  // The half second leaves time for the last reading of the memory.
  const end = performance.now() + minutes * 60_000 + 500
  const load = minutes === 0 ? null : await measured(16, () => performance.now() >= end)
  clearInterval(reading)
  await client.end()
  const figures = { one, sixteen, residentMegabytes }
  return { ...figures, load: load && { ...load, residentMegabytes: perMinute } }
}

/** Measures a store in a bucket with an empty cache, then with the cached copy. */
async function benchBucket(bench: ScaleBench, bucket: string, { env, ...asked }: Asked) {
  const address = `${bucket}/${Date.now().toString(36)}`
  const credentials = Object.entries(process.env).filter(([name]) => name.startsWith('AWS_'))
  const store = { ...Object.fromEntries(credentials), OG_DB_PATH: address }
  const remote = { ...asked, env: { ...env, ...store } }
  const copy = await timed([bench.og, 'copy', env.OG_DB_PATH!, address], remote.env)
  const copies = join(env.HOME!, '.cache', 'og', 'stores')
  const forget = () => rmSync(copies, { recursive: true, force: true })
  const empty = await benchCold(bench, remote, forget)
  const filled = await benchCold(bench, remote)
  if (!existsSync(copies)) throw new Error(`no copy in ${copies}`)
  return { copy, empty, filled, ...(await benchWarm(bench, remote)) }
}

function spread(values: number[]) {
  const at = (share: number) => percentile(values, share)
  return { least: at(0), p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
