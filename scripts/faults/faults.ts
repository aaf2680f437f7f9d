/**
 * Tests one store in a bucket under faults: `npm run test:faults [-- --rounds N]
 * [--og PATH]`. Builders and readers are processes of `dist/og`, each with its own cache; the
 * bucket is a server on loopback that fails at random. After every round, the script inspects the
 * bucket: each published row must exist, and the generation that it names must be complete. Prints
 * a line for each concern; the exit code is 1 if anything was lost.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { serveBucket, type BucketServer } from '../../test/support/servers/bucket-server.ts'
import { expireLocks, rowsOf, type Rows } from './bucket-state.ts'

type Ran = { exitCode: number | null; stderr: string }

type Place = {
  server: BucketServer
  og(machine: string, args: string[], killAfterMs?: number): Promise<Ran>
  /** Returns a folder of documentation that differs from round to round. */
  source(round: number): string
}

type Tally = { what: string; runs: number; failed: number; killed: number; wrong: string[] }

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '100' },
      og: { type: 'string', default: join(import.meta.dir, '..', '..', 'dist', 'og') },
    },
  })
  await using temp = await createTempFolder('og-faults')
  using server = serveBucket()
  const place = openPlace({ server, folder: temp.path, og: resolve(values.og) })
  const rounds = Number(values.rounds)
  const tallies: Tally[] = []
  for (const concern of [races, chances, clocks, kills, readOnly]) {
    const tally = await concern(place, rounds)
    console.log(
      `${tally.what}: ${tally.runs} runs, ${tally.failed} ended with one error line, ` +
        `${tally.killed} killed, ${tally.wrong.length} lost or mixed`,
    )
    for (const line of tally.wrong) console.log(`  ${line}`)
    tallies.push(tally)
  }
  return tallies.every(({ wrong }) => wrong.length === 0)
}

type Opening = { server: BucketServer; folder: string; og: string }

function openPlace({ server, folder, og }: Opening): Place {
  const cache = join(folder, 'cache')
  return {
    server,
    async og(machine, args, killAfterMs) {
      const own = join(folder, machine)
      mkdirSync(own, { recursive: true })
      const child = Bun.spawn([og, ...args], {
        cwd: own,
        stdin: 'ignore',
        stdout: 'ignore',
        stderr: 'pipe',
        env: {
          ...server.env,
          PATH: '/usr/bin:/bin',
          HOME: own,
          OG_CACHE_DIR: join(cache, machine),
          OG_DB_PATH: server.address,
          OG_EMBEDDINGS__EMBEDDING_BACKEND: 'none',
          OG_SOURCES__AUTO_ADD_LOCAL: 'false',
        },
      })
      const timer = killAfterMs && setTimeout(() => child.kill('SIGKILL'), killAfterMs)
      const stderr = await new Response(child.stderr).text()
      await child.exited
      if (timer) clearTimeout(timer)
      return { exitCode: child.exitCode, stderr }
    },
    source(round) {
      const path = join(folder, 'sources', String(round % 20))
      mkdirSync(path, { recursive: true })
      const text = `# Page of round ${round}\n\n${`Words of round ${round}. `.repeat(20)}\n`
      for (const name of ['one.md', 'two.md']) writeFileSync(join(path, name), text)
      return path
    },
  }
}

/**
 * Checks that the libraries that existed before (`known`) and the libraries just published
 * (`added`) are in the registry, and that all generations are intact.
 */
function look({ server }: Place, tally: Tally, { known, added }: { known: Rows; added: string[] }) {
  const rows = rowsAt(server, tally)
  for (const library of [...known.keys(), ...added]) {
    if (!rows.has(library)) tally.wrong.push(`round ${tally.runs}: ${library} is lost`)
  }
}

function rowsAt(server: BucketServer, tally: Tally): Rows {
  try {
    return rowsOf(server)
  } catch (error) {
    tally.wrong.push(`round ${tally.runs}: ${(error as Error).message}`)
    return new Map()
  }
}

/** Counts a run. A failed run must print one error line and at most one hint. */
function count(tally: Tally, { exitCode, stderr }: Ran): boolean {
  tally.runs++
  if (exitCode === 0) return true
  if (exitCode === null) return tally.killed++, false
  const lines = stderr.split('\n').filter((it) => !/^(?:hint|warning): |^$|: waiting for/.test(it))
  const isOneLine = exitCode === 2 && lines.length === 1 && lines[0]!.startsWith('error: ')
  if (isOneLine) tally.failed++
  else tally.wrong.push(`exit ${exitCode}: ${stderr.slice(0, 300)}`)
  return false
}

const tallied = (what: string): Tally => ({ what, runs: 0, failed: 0, killed: 0, wrong: [] })

/** Runs two builders of two libraries at the same time, then inspects the bucket. */
async function races(place: Place, rounds: number): Promise<Tally> {
  const tally = tallied('two builders at once')
  for (let round = 0; round < rounds; round++) {
    const known = rowsAt(place.server, tally)
    const names = [`left${round % 5}`, `right${round % 5}`]
    const ran = await Promise.all(
      names.map((library, i) => place.og(`machine${i}`, add(library, place.source(2 * round + i)))),
    )
    const added = names.filter((_, i) => count(tally, ran[i]!))
    if (added.length < 2) tally.wrong.push(`round ${round}: ${ran.map((it) => it.stderr).join()}`)
    look(place, tally, { known, added })
  }
  return tally
}

/**
 * The bucket randomly answers 503, SlowDown, 500 after performing the request, or a truncated body.
 */
async function chances(place: Place, rounds: number): Promise<Tally> {
  const tally = tallied('503, lost answers, cut bodies')
  const { server } = place
  server.fault = (asked) => {
    const chance = Math.random()
    if (chance < 0.05) return server.refused(503, 'ServerBusy')
    return chance < 0.08 && asked.startsWith('GET generations/') ? cut(server, asked) : null
  }
  server.isLost = () => Math.random() < 0.03
  for (let round = 0; round < Math.ceil(rounds / 4); round++) {
    const known = rowsAt(server, tally)
    const library = `left${round % 5}`
    const built = await place.og('machine0', add(library, place.source(1000 + round)))
    const added = count(tally, built) ? [library] : []
    count(tally, await place.og('reader', ['query', 'words', '-l', library]))
    look(place, tally, { known, added })
  }
  server.fault = null
  server.isLost = () => false
  return tally
}

function cut({ objects }: BucketServer, asked: string): Response | null {
  const found = objects.get(asked.replace(/^GET /, ''))
  return found ? new Response(found.body.slice(0, found.body.length >> 1)) : null
}

/** Runs builders whose clocks are an hour behind the bucket's clock, and an hour ahead of it. */
async function clocks(place: Place, rounds: number): Promise<Tally> {
  const tally = tallied('clocks an hour apart')
  const { server } = place
  for (let round = 0; round < Math.ceil(rounds / 10); round++) {
    server.aheadMs = round % 2 === 0 ? 3.6e6 : -3.6e6
    expireLocks(server)
    const known = rowsAt(server, tally)
    const names = ['left0', 'right0']
    const ran = await Promise.all(
      names.map((library, i) =>
        place.og(`machine${i}`, add(library, place.source(2000 + 2 * round + i))),
      ),
    )
    look(place, tally, { known, added: names.filter((_, i) => count(tally, ran[i]!)) })
    count(tally, await place.og('reader', ['query', 'words', '-l', 'left0']))
  }
  server.aheadMs = 0
  return tally
}

/**
 * Kills a builder at a random moment while it replaces a library; then a reader searches the
 * library.
 */
async function kills(place: Place, rounds: number): Promise<Tally> {
  const tally = tallied('kill -9 of a builder')
  const { server } = place
  const started = performance.now()
  await place.og('machine0', add('left0', place.source(3000)))
  const wholeMs = performance.now() - started
  for (let round = 0; round < rounds; round++) {
    const known = rowsAt(server, tally)
    const killed = await place.og(
      'machine0',
      add('left0', place.source(3001 + round)),
      Math.random() * wholeMs * 1.1,
    )
    count(tally, killed)
    expireLocks(server)
    look(place, tally, { known, added: [] })
    if (round % 5 === 0) count(tally, await place.og('reader', ['query', 'words', '-l', 'left0']))
  }
  const last = await place.og('machine0', add('left0', place.source(4000)))
  if (!count(tally, last)) tally.wrong.push(`after all kills: ${last.stderr}`)
  return tally
}

/** The bucket refuses all writes after a random request. */
async function readOnly(place: Place, rounds: number): Promise<Tally> {
  const tally = tallied('a bucket that turns read-only')
  const { server } = place
  for (let round = 0; round < Math.ceil(rounds / 10); round++) {
    let left = Math.floor(Math.random() * 40)
    server.fault = (asked) =>
      !asked.startsWith('GET') && left-- <= 0 ? server.refused(403, 'AccessDenied') : null
    const known = rowsAt(server, tally)
    count(tally, await place.og('machine1', add('left1', place.source(5000 + round))))
    const asked = await place.og('reader', ['query', 'words', '-l', 'left1'])
    if (!count(tally, asked)) tally.wrong.push(`a reader: ${asked.stderr}`)
    look(place, tally, { known, added: [] })
    server.fault = null
    expireLocks(server)
  }
  return tally
}

const add = (library: string, source: string) => [
  'add',
  library,
  '-s',
  source,
  '-v',
  '1',
  '--force',
]

process.exit((await main()) ? 0 : 1)
