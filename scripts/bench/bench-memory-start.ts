import { printResult } from '../build/result.ts'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEntries } from '../../src/memory/entry.ts'

const root = join(import.meta.dir, '../..')
const work = join(root, 'build', 'bench-memory-start')
const executable = join(root, 'dist', 'og')
const evalFolder = join(root, 'test', 'eval', 'memory')
const nEntries = 10_000
const question = 'how are retries of failed requests limited'
const env = { HOME: work, GROUNDMEMORY_ROOT_DIR: join(work, 'root') }
const withoutModel = { ...env, GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }

/**
 * Times whole commands of dist/og with a memory of 10,000 indexed and embedded entries: median and
 * minimum of 15 runs in milliseconds, and the median CPU time, which other load hardly affects.
 * Many entries have the same text, because only the number of rows matters here.
 */
async function benchStart() {
  rmSync(work, { recursive: true, force: true })
  fill()
  process.stderr.write('memory start: indexing and embedding\n')
  await ran(['memory', 'sync'], env)
  return {
    entries: nEntries,
    bootstrap: await times(() => ran(['memory', 'bootstrap'], env)),
    searchByWords: await times(() => ran(['memory', 'search', question], withoutModel)),
    searchHybrid: await times(() => ran(['memory', 'search', question], env)),
    write: await times((i) => ran(['memory', 'write', `note ${i} of the bench`], env)),
  }
}

function fill(): void {
  const names = ['requests.md', 'httpx.md', 'ripgrep.md', 'tmux.md']
  const bodies = names.flatMap((name) =>
    parseEntries(readFileSync(join(evalFolder, name), 'utf8')).map(({ body }) => body),
  )
  const entries = Array.from({ length: nEntries }, (_, i) => {
    const day = new Date(Date.UTC(2020, 0, 1 + Math.floor(i / 5))).toISOString().slice(0, 10)
    return `\n## ${day} 10:00\n\n${bodies[i % bodies.length]}\n`
  })
  mkdirSync(join(work, 'root', 'default'), { recursive: true })
  writeFileSync(join(work, 'root', 'default', 'MEMORY.md'), `# Memory\n${entries.join('')}`)
}

type Run = { wallMs: number; cpuMs: number }

async function times(once: (i: number) => Promise<Run>) {
  const all: Run[] = []
  for (let i = 0; i < 17; i++) all.push(await once(i))
  const sorted = (of: (run: Run) => number) =>
    all
      .slice(2)
      .map(of)
      .sort((a, b) => a - b)
  const wall = sorted(({ wallMs }) => wallMs)
  const cpu = sorted(({ cpuMs }) => cpuMs)
  const [median, least, cpuMedian] = [wall[7]!, wall[0]!, cpu[7]!].map(Math.round)
  return { median, least, cpu: cpuMedian }
}

async function ran(args: string[], environment: Record<string, string>): Promise<Run> {
  const started = performance.now()
  const child = Bun.spawn([executable, ...args], {
    env: environment,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await child.exited
  return { wallMs: performance.now() - started, cpuMs: cpuMs(child) }
}

function cpuMs(child: Bun.Subprocess): number {
  return Number(child.resourceUsage()!.cpuTime.total) / 1000
}

printResult('memory-commands', await benchStart())
