/**
 * Times whole commands of dist/og from outside: `npm run bench [-- --peer DIR] [--runs N]`; JSON on
 * stdout. It indexes the English FastAPI documentation at tag 0.115.0 (144 pages), cloned from the
 * bundle in the folder OG_SHARED (default: `../shared`, next to the repository).
 *
 * `--peer DIR`: an installation of openground 0.14 with a `DIR/env.sh` to source. The peer does the
 * same work in the same run, and the report contains the ratio.
 *
 * Other benches:
 *
 * - `npm run bench -- memory [--peer DIR]`: agent memory; DIR is an installation of groundmemory.
 * - `npm run bench -- memory-mcp`: starts of the memory server (bench-memory-mcp.ts).
 * - `npm run bench -- page [--before PATH]`: the web page in Chromium (bench-page.ts).
 * - `npm run bench -- encoder`: og's own encoder and ONNX Runtime (bench-encoder.ts).
 * - `npm run bench -- scale [--sizes N,N]`: stores of many chunks (bench-scale.ts).
 * - `npm run bench -- index --from STORE`: kinds of vector indexes (bench-index.ts).
 * - `npm run bench -- serve [--against OG]`: searches over HTTP (bench-serve.ts).
 * - `npm run bench -- stages`: the stages of `og add` and `og query` (bench-stages.ts).
 * - `npm run bench -- update`: `og update` from git (bench-add.ts).
 * - `npm run bench -- add [--python DIR] [--threads 2,1]`: `og add` by phase and by number of
 *   threads (bench-add.ts).
 * - `npm run bench -- peers --peer DIR`: programs that do the same job (peers/bench-peers.ts).
 * - `npm run bench -- mcp [--peer DIR]`: the MCP server alone (bench-mcp.ts). The peer must
 *   already have indexed the same folder as `fastapi`.
 */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { benchKernels } from './bench-kernels.ts'
import { benchServers } from './bench-mcp.ts'
import { commandFigures, repeatCommand, timeCommand } from './process-figures.ts'
import { printResult } from '../build/result.ts'

const root = join(import.meta.dir, '../..')
const shared = process.env.OG_SHARED ?? join(root, '..', 'shared')
const work = join(root, 'build', 'bench')
const og = join(root, 'dist', 'og')

export type CommandFigures = {
  ours: Awaited<ReturnType<typeof benchOurs>>
  peer: Awaited<ReturnType<typeof benchPeer>> | null
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    peer: { type: 'string' },
    before: { type: 'string' },
    python: { type: 'string' },
    threads: { type: 'string', default: '2,1' },
    sizes: { type: 'string', default: '10000,100000,1000000' },
    from: { type: 'string', default: join(root, 'build', 'eval', 'store') },
    libraries: { type: 'string', default: '' },
    bucket: { type: 'string' },
    questions: { type: 'string', default: '' },
    against: { type: 'string' },
    clients: { type: 'string', default: '16' },
    searches: { type: 'string', default: '1000' },
    work: { type: 'string' },
    minutes: { type: 'string', default: '0' },
    keep: { type: 'boolean', default: false },
    runs: { type: 'string', default: '5' },
  },
})
const runs = Number(values.runs)
const question = 'how do I run work after the response is sent'

async function main(): Promise<void> {
  if (positionals[0] === 'memory') {
    const { benchMemory } = await import('./bench-memory.ts')
    printResult('memory', await benchMemory(values.peer ?? null))
    return
  }
  if (positionals[0] === 'memory-mcp') {
    const { benchMemoryServer } = await import('./bench-memory-mcp.ts')
    const figures = await benchMemoryServer(og, join(root, 'build', 'bench-memory-mcp'), runs)
    printResult('memory-mcp', figures)
    return
  }
  if (positionals[0] === 'encoder') {
    const { benchEncoder } = await import('./bench-encoder.ts')
    printResult('encoder', await benchEncoder())
    return
  }
  if (positionals[0] === 'scale') return await benchLarge()
  if (positionals[0] === 'index') return await benchKinds()
  if (positionals[0] === 'serve') return await benchTeam()
  const bundle = join(shared, 'corpora', 'fastapi.bundle')
  if (!existsSync(bundle)) {
    process.stderr.write(`skipped: no corpus at ${bundle} (set OG_SHARED)\n`)
    return
  }
  if (positionals[0] === 'update') {
    const { benchUpdate } = await import('./bench-add.ts')
    const figures = await benchUpdate({ og, bundle, work, runs })
    printResult('update', figures)
    return
  }
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const [first, second] = folders(bundle)
  if (positionals[0] === 'add') {
    const { benchAdd } = await import('./bench-add.ts')
    const python = values.python ?? null
    const threads = values.threads.split(',').map(Number)
    const fastapi = join(first, 'docs')
    const report = await benchAdd({ og, fastapi, python, work, threads })
    printResult('add', report)
    return
  }
  if (positionals[0] === 'stages') return await benchSteps(first)
  if (positionals[0] === 'peers') return await benchRivals(first)
  if (positionals[0] === 'page') return await benchPages(first)
  if (positionals[0] === 'mcp') return await benchMcpServers(first)
  const ours = await benchOurs(first, second)
  const peer = values.peer === undefined ? null : await benchPeer(values.peer, first)
  const ratios = peer && {
    index: peer.index.secondsMedian / ours.index.secondsMedian,
    unchanged: peer.unchanged.secondsMedian / ours.unchanged.secondsMedian,
    query: peer.query.secondsMedian / ours.query.secondsMedian,
    list: peer.list.secondsMedian / ours.list.secondsMedian,
  }
  const report = {
    ours,
    peer,
    ratios,
    executableMegabytes: statSync(og).size / 1e6,
    kernels: await benchKernels(),
  }
  printResult('commands', report)
}

async function benchLarge(): Promise<void> {
  const { benchScale } = await import('./bench-scale.ts')
  await using temp = await createTempFolder('og-scale')
  const report = await benchScale({
    og,
    from: values.from,
    libraries: values.libraries.split(',').filter((name) => name !== ''),
    sizes: values.sizes.split(',').map(Number),
    work: values.work ?? temp.path,
    bucket: values.bucket ?? null,
    runs,
    searches: Number(values.searches),
    minutes: Number(values.minutes),
    settleMs: 5000,
    isKept: values.keep,
  })
  printResult('scale', report)
}

async function benchKinds(): Promise<void> {
  const { benchIndex, indexKinds } = await import('./bench-index.ts')
  const questions = values.questions.split(',').filter((name) => name !== '')
  const report = await benchIndex({ from: values.from, questions, kinds: indexKinds })
  printResult('index', report)
}

async function benchTeam(): Promise<void> {
  const { benchServe } = await import('./bench-serve.ts')
  const report = await benchServe({
    og,
    against: values.against ?? null,
    from: values.from,
    library: values.libraries || 'fastapi',
    clients: Number(values.clients),
    searches: Number(values.searches),
    runs,
  })
  printResult('serve', report)
}

async function benchMcpServers(docs: string): Promise<void> {
  const { peer } = values
  const kept = join(root, 'build', 'bench-mcp')
  const report = await benchServers({ og, work: kept, docs, peer, runs })
  printResult('mcp', report)
}

async function benchRivals(docs: string): Promise<void> {
  if (values.peer === undefined) throw new Error('--peer DIR is missing: see peers/setup.sh')
  const { benchPeers } = await import('./peers/bench-peers.ts')
  // Outside the repository, because docs-mcp-server skips every folder named build.
  await using temp = await createTempFolder('og-peers')
  const peers = resolve(values.peer)
  printResult('peers', await benchPeers({ og, peers, docs, work: temp.path, runs }))
}

async function benchSteps(docs: string): Promise<void> {
  const { benchStages } = await import('./bench-stages.ts')
  printResult('stages', await benchStages({ og, docs, work, runs }))
}

async function benchPages(clone: string): Promise<void> {
  const { benchPage } = await import('./bench-page.ts')
  const evalStore = join(root, 'build', 'eval', 'store')
  const docs = join(clone, 'docs')
  const kept = join(root, 'build', 'bench-page')
  const before = values.before ?? null
  const report = await benchPage({ og, before, evalStore, docs, work: kept, runs })
  printResult('page', report)
}

/** Returns the documentation, and a copy in which every 29th page has an additional section. */
function folders(bundle: string): [string, string] {
  const clone = join(work, 'fastapi')
  const args = ['clone', '--quiet', '--branch', '0.115.0', '--', bundle, clone]
  if (Bun.spawnSync(['git', ...args]).exitCode !== 0) throw new Error(`git cannot clone ${bundle}`)
  const copy = join(work, 'second')
  // Copies the whole repository, because pages include files from outside their folder.
  cpSync(clone, copy, { recursive: true })
  const [first, second] = [join(clone, 'docs', 'en'), join(copy, 'docs', 'en')] as const
  const pages = readdirSync(second, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
  const section = '\n## What is new\n\nThis page has grown a section about what changed lately.\n'
  for (const page of pages.filter((_, i) => i % 29 === 14)) {
    appendFileSync(join(second, page), section)
  }
  return [first, second]
}

async function benchOurs(first: string, second: string) {
  const home = join(work, 'home')
  mkdirSync(home)
  const env = { PATH: process.env.PATH, HOME: home }
  const timed = (...args: string[]) => timeCommand([og, ...args], { env, cwd: work })
  const repeated = (...args: string[]) => repeatCommand(runs, () => timed(...args))
  process.stderr.write('og: first start\n')
  const firstStart = await timeCommand([og, 'query', 'nothing'], { env, cwd: work, exit: 'any' })
  process.stderr.write('og: index\n')
  const index = commandFigures([await timed('add', 'fastapi', '-s', first)])
  const unchanged = await repeated('add', 'fastapi', '-s', first)
  process.stderr.write('og: second version\n')
  const secondVersion = commandFigures([await timed('add', 'fastapi', '-s', second, '-v', '2')])
  const query = await repeated('query', question, '-l', 'fastapi', '-v', '2')
  const list = await repeated('list')
  const help = await repeated('--help')
  return { firstStart, index, unchanged, secondVersion, query, list, help }
}

async function benchPeer(folder: string, first: string) {
  const version = `local-${new Date().toLocaleDateString('sv')}`
  const env = process.env
  const source = `. ${JSON.stringify(join(folder, 'env.sh'))}`
  const shell = (line: string) => ['bash', '-c', `${source} && ${line}`]
  const timed = (command: string) =>
    timeCommand(shell(`exec openground ${command}`), { env, cwd: work })
  const repeated = (command: string) => repeatCommand(runs, () => timed(command))
  const add = `add fastapi -s ${JSON.stringify(first)} -y`
  await timeCommand(shell('openground nuke all -y'), { env, cwd: work, exit: 'any' })
  process.stderr.write('peer: index\n')
  const index = commandFigures([await timed(add)])
  const unchanged = await repeated(add)
  const asked = `query ${JSON.stringify(question)} -l fastapi -v ${version}`
  const query = await repeated(asked)
  const list = await repeated('ls')
  return { index, unchanged, query, list }
}

await main()
