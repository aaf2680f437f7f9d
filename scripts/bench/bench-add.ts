/**
 * Times `og add` of the English FastAPI documentation and of the Python documentation by phase,
 * with all threads and with fewer, each time in an empty home folder.
 *
 * The Python documentation is the folder `html/_sources` of Debian's package `python3-doc`
 * (`python3.11-doc`), or the folder `Doc` of Python's repository: `--python DIR`. Without
 * `--python`, only FastAPI is measured.
 */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'

type Places = {
  og: string
  fastapi: string
  python: string | null
  work: string
  /** Numbers of threads to measure, one after the other. */
  threads: number[]
}

/** The fields of a progress line (stderr with OG_PROGRESS=json) that are used here. */
type Line = { phase?: string; isSearchable?: boolean; embedded?: number; toEmbed?: number }

/**
 * Seconds since the start, and CPU seconds that all processes of the command have used until then.
 */
type Moment = { seconds: number; cpuSeconds: number }

export async function benchAdd({ og, fastapi, python, work, threads }: Places) {
  const cases: Record<string, string> = { fastapi }
  if (python !== null) cases.python = asRst(python, join(work, 'python'))
  else process.stderr.write('python: skipped, no folder (--python DIR)\n')
  const report: Record<string, unknown> = { processors: availableParallelism() }
  for (const [name, folder] of Object.entries(cases)) {
    for (const count of threads) {
      process.stderr.write(`${name}: ${count} threads\n`)
      const load = loadavg()[0]
      const figures = await added(og, folder, { threads: count, work })
      report[`${name}, ${count} threads`] = { load, ...figures }
    }
  }
  return report
}

/** Copies Sphinx sources and renames `.rst.txt`, which Sphinx uses, to `.rst`. */
function asRst(from: string, to: string): string {
  if (!existsSync(from)) throw new Error(`no folder ${from}`)
  for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    if (/\.rst(\.txt)?$/.test(name)) cpSync(join(from, name), join(to, name.replace(/\.txt$/, '')))
  }
  return to
}

async function added(
  og: string,
  folder: string,
  { threads, work }: { threads: number; work: string },
) {
  const home = join(work, 'home')
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  const env = { PATH: process.env.PATH, HOME: home, OG_PROGRESS: 'json' }
  const processors = Array.from({ length: threads }, (_, i) => i).join()
  const add = [og, 'add', 'docs', '-s', folder, '-v', '1', '--json']
  const command = ['taskset', '-c', processors, ...add]
  const started = performance.now()
  const child = Bun.spawn(command, { env, stdout: 'pipe', stderr: 'pipe', cwd: home })
  const moments: Record<string, Moment> = {}
  const note = (name: string) => {
    if (moments[name] !== undefined) return
    const seconds = (performance.now() - started) / 1000
    moments[name] = { seconds, cpuSeconds: cpuSecondsOf(child.pid) }
    const cpu = moments[name].cpuSeconds.toFixed(1)
    process.stderr.write(`  ${name} after ${seconds.toFixed(1)} s, ${cpu} s of processor time\n`)
  }
  for await (const line of linesOf(child.stderr)) {
    const { phase, isSearchable, embedded = 0, toEmbed = 0 } = JSON.parse(line) as Line
    if (phase !== undefined) note(`first ${phase}`)
    if (isSearchable) note('searchable')
    if (isSearchable && embedded * 2 >= toEmbed) note('half embedded')
  }
  const result = JSON.parse(await new Response(child.stdout).text())
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${child.exitCode}`)
  const { maxRSS, cpuTime } = child.resourceUsage()!
  moments.end = {
    seconds: (performance.now() - started) / 1000,
    cpuSeconds: Number(cpuTime.total) / 1e6,
  }
  const { pages, chunks, embedded } = result
  return { pages, chunks, embedded, moments, peakMegabytes: maxRSS / 1e6 }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop()!
    yield* lines.filter((line) => line.startsWith('{'))
  }
}

/**
 * Returns the CPU seconds of a process, its exited children and its running descendants, in ticks
 * of 10 ms.
 */
function cpuSecondsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const ticks = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
      .map(Number)
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').match(/\d+/g) ?? []
    const own = ticks.reduce((sum, it) => sum + it, 0) / 100
    return own + children.reduce((sum, child) => sum + cpuSecondsOf(Number(child)), 0)
  } catch {
    return 0
  }
}

type UpdatePlaces = { og: string; bundle: string; work: string; runs: number }

/**
 * Times `og update` of the English FastAPI documentation in a local git repository: first without
 * any change, then with a change in one of its 144 pages.
 */
export async function benchUpdate({ og, bundle, work, runs }: UpdatePlaces) {
  rmSync(work, { recursive: true, force: true })
  const [home, repository] = [join(work, 'home'), join(work, 'repository')]
  mkdirSync(home, { recursive: true })
  git(work, 'clone', '--quiet', '--branch', '0.115.0', '--', bundle, repository)
  git(repository, 'switch', '--quiet', '--create', 'bench')
  git(repository, 'config', 'uploadpack.allowFilter', 'true')
  const run = (...args: string[]) => timed([og, ...args], home)
  process.stderr.write('index\n')
  const index = await run('add', 'fastapi', '-s', `file://${repository}`, '-d', 'docs/en/docs')
  const [unchanged, onePage] = [[], []] as Awaited<ReturnType<typeof timed>>[][]
  for (let i = 0; i < runs; i++) {
    unchanged!.push(await run('update', 'fastapi'))
    const text = `\n## Lately\n\nWhat changed the ${i + 1}. time: the body of a request.\n`
    appendFileSync(join(repository, 'docs/en/docs/tutorial/body.md'), text)
    git(repository, '-c', 'user.name=b', '-c', 'user.email=b@b.example', 'commit', '-qam', `${i}`)
    onePage!.push(await run('update', 'fastapi'))
  }
  const load = loadavg()[0]
  return { load, index, unchanged: median(unchanged!), onePage: median(onePage!) }
}

function git(cwd: string, ...args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(['git', ...args], { cwd, stderr: 'pipe' })
  if (exitCode !== 0) throw new Error(`git ${args[0]}: ${stderr}`)
}

async function timed(command: string[], home: string) {
  const started = performance.now()
  const env = { PATH: process.env.PATH, HOME: home }
  const child = Bun.spawn(command, { env, stdout: 'ignore', stderr: 'ignore', cwd: home })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${child.exitCode}`)
  const used = child.resourceUsage()!
  return {
    seconds: (performance.now() - started) / 1000,
    cpuSeconds: Number(used.cpuTime.total) / 1e6,
    peakMegabytes: used.maxRSS / 1e6,
  }
}

function median<T extends { seconds: number }>(samples: T[]): T {
  return samples.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(samples.length / 2)]!
}
