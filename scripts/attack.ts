/**
 * Attacks `dist/og` for an hour: `npm run test:attack [-- --minutes N] [WORD…]`. Prints a line for
 * each failure as it is found, and a table at the end; the exit code is 1 if anything failed.
 * `--seed N` repeats a run, `--og PATH` attacks another executable, and a WORD selects concerns.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openArena, type Concern, type Found } from './attack/arena.ts'
import { corruption } from './attack/corruption.ts'
import { fullDisks } from './attack/disks.ts'
import { gates } from './attack/gates.ts'
import { memoryKills, storeKills } from './attack/kills.ts'
import { mutatedPages, savedPages } from './attack/pages.ts'
import { races, type RaceOptions } from './attack/races.ts'
import { hostileRegistries } from './attack/registries.ts'
import { hostileSources } from './attack/sources.ts'

const concerns: Concern[] = [
  savedPages,
  mutatedPages,
  hostileSources,
  hostileRegistries,
  gates,
  storeKills,
  memoryKills,
  fullDisks,
  corruption,
]
const raceRoundsAMinute = 4

async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      og: { type: 'string', default: join(import.meta.dir, '..', 'dist', 'og') },
    },
    allowPositionals: true,
  })
  const isWanted = (what: string) =>
    positionals.length === 0 || positionals.some((word) => what.includes(word))
  const og = resolve(values.og)
  if (!existsSync(og)) throw new Error(`there is no ${og}: npm run build makes it`)
  const wanted = concerns.filter(({ what }) => isWanted(what))
  const raceKinds = [false, true].filter((isKilling) => isWanted(raceName(isKilling)))
  const shareMs = (60_000 * Number(values.minutes)) / (wanted.length + raceKinds.length)
  say(`seed ${values.seed}`)
  const rows: [string, Found][] = []
  for (const { what, attack } of wanted) {
    say(`${what} …`)
    const deadlineMs = performance.now() + shareMs
    await using arena = openArena({ og, seed: Number(values.seed), deadlineMs, say })
    await attack(arena).catch((error) => arena.fail(what, `the attack itself failed: ${error}`))
    rows.push([what, { ...arena.found }])
  }
  for (const isKilling of raceKinds) {
    const rounds = Math.max(1, Math.round((raceRoundsAMinute * shareMs) / 60_000))
    say(`${raceName(isKilling)} …`)
    const raced = await race({ rounds, isKilling: () => isKilling, say })
    rows.push([raceName(isKilling), raced])
  }
  printTable(rows)
  return rows.every(([, found]) => found.failures.length === 0)
}

const raceName = (isKilling: boolean) =>
  isKilling ? 'races of writers that are killed' : 'races of writers'

async function race(options: RaceOptions): Promise<Found> {
  const began = performance.now()
  const { rounds, failures } = await races(options)
  const worstMs = (performance.now() - began) / Math.max(rounds, 1)
  return { rounds, failures, worstMs, worstMb: 0 }
}

function printTable(rows: [string, Found][]): void {
  const head = ['what', 'rounds', 'failures', 'worst time', 'worst memory']
  const lines = rows.map(([what, found]) => [
    what,
    String(found.rounds),
    String(found.failures.length),
    `${(found.worstMs / 1000).toFixed(1)} s`,
    found.worstMb === 0 ? '' : `${Math.round(found.worstMb)} MB`,
  ])
  const widths = head.map((_, at) => Math.max(...[head, ...lines].map((line) => line[at]!.length)))
  for (const line of [head, widths.map((width) => '-'.repeat(width)), ...lines]) {
    const cells = line.map((cell, at) =>
      at === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[at]!),
    )
    process.stdout.write(`${cells.join('  ')}\n`)
  }
  const failures = rows.flatMap(([what, found]) =>
    found.failures.map((failure) => `${what}: ${failure}`),
  )
  for (const failure of failures) process.stdout.write(`failed: ${failure}\n`)
  process.stdout.write(`${failures.length} failures\n`)
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

process.exitCode = (await main()) ? 0 : 1
