/**
 * Stores of many chunks: `npm run bench -- scale [--sizes 10000,100000,1000000] [--from STORE]
 * [--libraries A,B] [--bucket s3://…] [--searches N] [--work DIR]`; JSON on stdout. What is in
 * them is described in big-store.ts; STORE is one with libraries that are embedded (default
 * `build/eval/store`, which `npm run eval` makes), of which all are taken unless named. Each store
 * is built in a process of its own, measured and deleted: a million chunks take 5 GB in DIR
 * (default a temporary folder).
 *
 * `--bucket`: a place on an S3 server, by the usual variables (AWS_ENDPOINT_URL_S3,
 * AWS_ACCESS_KEY_ID, …). Each store is copied there, and asked with an empty cache and a filled
 * one.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bytesBelow } from '../../src/platform/file/size.ts'
import { readEntries } from '../../src/store/registry.ts'
import { connect, percentile, questions, type Measured } from './bench-mcp.ts'
import { processorMs, residentOf } from './process-figures.ts'

export type ScaleBench = {
  og: string
  from: string
  libraries: readonly string[]
  sizes: readonly number[]
  work: string
  bucket: string | null
  /** New processes that ask once, and searches of one client; sixteen make as many together. */
  runs: number
  searches: number
}

export async function benchScale(bench: ScaleBench) {
  const found = []
  for (const size of bench.sizes) {
    process.stderr.write(`${size} chunks\n`)
    const store = join(bench.work, `store-${size}`)
    rmSync(store, { recursive: true, force: true })
    try {
      found.push({ size, ...(await benchStore(bench, store, size)) })
    } finally {
      rmSync(store, { recursive: true, force: true })
    }
  }
  return { threads: navigator.hardwareConcurrency, sizes: found }
}

async function benchStore(bench: ScaleBench, store: string, size: number) {
  const build = await built(bench, store, size)
  const [entry] = await readEntries(store)
  const { library, version, live } = entry!
  const generation = join(store, 'generations', live.id)
  const env = { PATH: process.env.PATH, HOME: join(bench.work, 'home'), OG_DB_PATH: store }
  const index = await Bun.file(join(generation, 'vector-index.json')).json().catch(() => null)
  return {
    pages: live.pages,
    build,
    megabytes: (await bytesBelow(generation)) / 1e6,
    index,
    cold: await benchCold(bench, { library, env }),
    ...(await benchWarm(bench, { command: [bench.og, 'mcp'], env, library, version })),
    bucket: bench.bucket === null ? null : await benchBucket(bench, bench.bucket, { library, env }),
  }
}

type Build = { seconds: number; processorSeconds: number; peakMegabytes: number }

/** In a process of its own, so that its peak of memory is told. */
async function built(
  { from, libraries }: ScaleBench, store: string, rows: number,
): Promise<Build> {
  const script = join(import.meta.dir, 'big-store.ts')
  const command = [process.execPath, script, store, from, String(rows), ...libraries]
  const started = performance.now()
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`cannot build ${store}`)
  const usage = child.resourceUsage()!
  return {
    seconds: (performance.now() - started) / 1000,
    processorSeconds: Number(usage.cpuTime.total) / 1e6,
    peakMegabytes: usage.maxRSS / 1e6,
  }
}

type Asked = { library: string; env: Record<string, string | undefined> }

/** Whole commands, each of which asks something else. */
async function benchCold({ og, runs }: ScaleBench, { library, env }: Asked, least = 1) {
  const times = []
  const processor = []
  for (let i = -least; i < runs; i++) {
    const question = questions[(i + questions.length) % questions.length]!
    const started = performance.now()
    const child = Bun.spawn([og, 'query', question, '-l', library, '-k', '3'], {
      env, stdout: 'ignore', stderr: 'pipe',
    })
    if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text())
    // The first fills the system's file cache.
    if (i < 0) continue
    times.push((performance.now() - started) / 1000)
    processor.push(Number(child.resourceUsage()!.cpuTime.total) / 1e6)
  }
  return { seconds: spread(times), processorSeconds: percentile(processor, 0.5) }
}

async function benchWarm({ searches }: ScaleBench, server: Measured) {
  const client = connect(server)
  await client.initialize()
  for (const question of questions) await client.search(question)
  // What a server reads after its first searches is there by then.
  await Bun.sleep(5000)
  let next = 0
  const times: number[] = []
  const ask = async () => {
    while (next < searches) {
      const started = performance.now()
      await client.search(questions[next++ % questions.length]!)
      times.push(performance.now() - started)
    }
  }
  const measured = async (clients: number) => {
    next = 0
    times.length = 0
    const [started, processor] = [performance.now(), processorMs(client.pid)]
    await Promise.all(Array.from({ length: clients }, ask))
    return {
      milliseconds: spread(times),
      processorMs: (processorMs(client.pid) - processor) / searches,
      searchesASecond: searches / ((performance.now() - started) / 1000),
    }
  }
  const one = await measured(1)
  const sixteen = await measured(16)
  const residentMegabytes = residentOf(client.pid)
  await client.end()
  return { one, sixteen, residentMegabytes }
}

/** With an empty cache, and with the copy that it then has. */
async function benchBucket(bench: ScaleBench, bucket: string, { library, env }: Asked) {
  const address = `${bucket}/${Date.now().toString(36)}`
  const credentials = Object.entries(process.env).filter(([name]) => name.startsWith('AWS_'))
  const remote = { ...env, ...Object.fromEntries(credentials) }
  const started = performance.now()
  const copy = Bun.spawn([bench.og, 'copy', env.OG_DB_PATH!, address], { env: remote })
  if ((await copy.exited) !== 0) throw new Error(`cannot copy to ${address}`)
  const copySeconds = (performance.now() - started) / 1000
  const asked = { library, env: { ...remote, OG_DB_PATH: address } }
  const empty = await benchCold({ ...bench, runs: 1 }, asked, 0)
  return { copySeconds, empty, filled: await benchCold(bench, asked) }
}

function spread(values: number[]) {
  const at = (share: number) => percentile(values, share)
  return { least: at(0), p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
