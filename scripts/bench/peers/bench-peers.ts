/**
 * Compares og with programs that do the same job: `npm run bench -- peers --peer DIR`. setup.sh
 * installs them into DIR. Each program reads the same English FastAPI documentation, in its default
 * configuration and with its own home, and answers the same question in new processes.
 *
 * The programs take turns, so that a busy moment of the machine reaches all of them. A program
 * that does not find the page by its title has no index, and fails. The report says which programs
 * find it by the question.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FigureTable } from '../../build/figure-tables.ts'
import { commandFigures, timeCommand, type CommandSample } from '../process-figures.ts'

export type PeerBench = { og: string; peers: string; docs: string; work: string; runs: number }

type Program = {
  name: string
  version: string
  /** False for a program that is measured without embeddings, because its model is elsewhere. */
  isEmbedding: boolean
  index: string[]
  query: (text: string) => string[]
  env: Record<string, string>
}

const question = 'how do I run work after the response is sent'
/** The title of the page that answers the question. */
const title = 'background tasks'

export async function benchPeers(bench: PeerBench) {
  const { work, runs } = bench
  const docs = copyDocs(bench)
  const programs = [ourProgram(bench, docs), ...peerPrograms(bench, docs)]
  const indexed = new Map<Program, CommandSample>()
  for (const program of programs) {
    process.stderr.write(`${program.name}: index\n`)
    const env = { PATH: process.env.PATH, ...program.env }
    indexed.set(program, await timeCommand(program.index, { env, cwd: work }))
    if (!findsPage(program, title, work)) throw new Error(`${program.name} has no index`)
  }
  const samples = new Map(programs.map((program) => [program, [] as CommandSample[]]))
  for (let i = 0; i < runs; i++) {
    for (const program of programs) {
      const env = { PATH: process.env.PATH, ...program.env }
      samples.get(program)!.push(await timeCommand(program.query(question), { env, cwd: work }))
    }
  }
  return {
    runs,
    programs: programs.map((program) => ({
      name: program.name,
      version: program.version,
      isEmbedding: program.isEmbedding,
      findsPage: findsPage(program, question, work),
      index: commandFigures([indexed.get(program)!]),
      query: commandFigures(samples.get(program)!),
    })),
  }
}

/** One row for each program; the version that was measured is next to its name. */
export function peerTable({ programs }: Awaited<ReturnType<typeof benchPeers>>): FigureTable {
  const cells = ({ secondsMedian, peakMegabytes }: (typeof programs)[number]['index']) => [
    `${secondsMedian.toFixed(secondsMedian < 1 ? 2 : 1)} s`,
    `${Math.round(peakMegabytes)} MB`,
  ]
  return {
    columns: [
      'searches by',
      'finds it',
      'index FastAPI',
      'peak memory',
      'query, new process',
      'peak memory',
    ],
    rows: programs.map(({ name, version, isEmbedding, findsPage, index, query }) => [
      `${name} ${version}`,
      isEmbedding ? 'words and meaning' : 'words only',
      findsPage ? 'yes' : 'no',
      ...cells(index),
      ...cells(query),
    ]),
  }
}

/** Returns a folder with the pages alone, because some programs index every file of a folder. */
function copyDocs({ docs, work }: PeerBench): string {
  const copy = join(work, 'pages')
  cpSync(join(docs, 'docs'), copy, { recursive: true })
  return copy
}

function ourProgram({ og, work }: PeerBench, docs: string): Program {
  const version = Bun.spawnSync([og, '--version'], { env: { HOME: homeOf(work, 'og') } })
  return {
    name: 'og',
    version: version.stdout.toString().trim(),
    isEmbedding: true,
    index: [og, 'add', 'fastapi', '-s', docs, '-v', '0.115.0'],
    query: (text) => [og, 'query', text, '-l', 'fastapi'],
    env: { HOME: homeOf(work, 'og') },
  }
}

function peerPrograms({ peers, work }: PeerBench, docs: string): Program[] {
  const programs = [
    openground(join(peers, 'openground'), docs),
    qmd(join(peers, 'qmd'), docs),
    docsMcpServer(join(peers, 'docs-mcp-server'), docs),
    context(join(peers, 'context'), docs),
  ]
  const installed = programs.filter((program) => program !== null)
  if (installed.length === 0) throw new Error(`${peers} has no program; setup.sh installs them`)
  return installed.map((program) => ({
    ...program,
    env: { HOME: homeOf(work, program.name), ...program.env },
  }))
}

/** Its store is in the folder of the installation, where env.sh says. */
function openground(folder: string, docs: string): Program | null {
  const settings = join(folder, 'env.sh')
  if (!existsSync(settings)) return null
  const run = (...args: string[]) => [
    ...['bash', '-c', `. "$0" && exec openground "$@"`, settings],
    ...args,
  ]
  const version = `local-${new Date().toLocaleDateString('sv')}`
  rmSync(join(folder, 'data'), { recursive: true, force: true })
  return {
    name: 'openground',
    version: '0.14.0',
    isEmbedding: true,
    index: run('add', 'fastapi', '-s', docs, '-y'),
    query: (text) => run('query', text, '-l', 'fastapi', '-v', version),
    env: {},
  }
}

/** Starts its main file with Bun: qmd starts itself again by its launcher, which costs time. */
function qmd(folder: string, docs: string): Program | null {
  const home = join(folder, 'node_modules', '@tobilu', 'qmd')
  if (!existsSync(home)) return null
  const run = [process.execPath, join(home, 'dist', 'cli', 'qmd.js')]
  return {
    name: 'qmd',
    version: versionOf(home),
    isEmbedding: false,
    index: [...run, 'collection', 'add', docs, '--name', 'fastapi'],
    query: (text) => [...run, 'search', text],
    env: {},
  }
}

function docsMcpServer(folder: string, docs: string): Program | null {
  if (!existsSync(folder)) return null
  const run = ['node', join(folder, 'dist', 'index.js')]
  return {
    name: 'docs-mcp-server',
    version: versionOf(folder),
    isEmbedding: false,
    index: [...run, 'scrape', 'fastapi', `file://${docs}`, '-v', '0.115.0'],
    query: (text) => [...run, 'search', 'fastapi', text],
    env: {
      DOCS_MCP_TELEMETRY: 'false',
      DOCS_MCP_SCRAPER_SECURITY_FILE_ACCESS_MODE: 'unrestricted',
      // With a browser named, it does not try to download one.
      PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH: process.env.CHROMIUM ?? '/usr/bin/chromium',
    },
  }
}

/** Has no embeddings at all. */
function context(folder: string, docs: string): Program | null {
  if (!existsSync(folder)) return null
  const home = join(folder, 'packages', 'context')
  const run = ['node', join(home, 'dist', 'cli.js')]
  const version = '0.115.0'
  return {
    name: 'context',
    version: versionOf(home),
    isEmbedding: false,
    index: [...run, 'add', docs, '--name', 'fastapi', '--pkg-version', version],
    query: (text) => [...run, 'query', `fastapi@${version}`, text],
    env: {},
  }
}

function versionOf(folder: string): string {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
}

function homeOf(work: string, name: string): string {
  const home = join(work, `home-${name}`)
  mkdirSync(home, { recursive: true })
  return home
}

/** Returns true if the program prints the title, in any case. */
function findsPage({ query, env: own }: Program, text: string, cwd: string): boolean {
  const env = { PATH: process.env.PATH, ...own }
  const { stdout } = Bun.spawnSync(query(text), { env, cwd, stderr: 'inherit' })
  return stdout.toString().toLowerCase().includes(title)
}
