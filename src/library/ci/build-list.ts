import { sha256 } from '../../platform/hash.ts'
import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { openJobLimiter } from '../../platform/concurrency.ts'
import { createTempFolder } from '../../platform/file/files.ts'
import { emptyFigures, type BuildFigures, type RunOg } from './build-pack.ts'
import type { PackSpec } from './pack-list.ts'
import { readdirSync } from 'node:fs'
import { usageOf, type Usage } from '../../platform/system.ts'
import { signalProcess, startProgram, type SpawnOptions } from '../../platform/subprocess.ts'

export type PackOutcome = BuildFigures & {
  library: string
  wishedVersion: string | null
  result: 'published' | 'unchanged' | 'failed'
  /** The published pack or state as its path in the registry or store, or null. */
  path: string | null
  error: OgError | null
  seconds: number
}

export type BuildList = {
  build(
    spec: PackSpec,
    building: { folder: string; og: RunOg },
    figures: BuildFigures,
  ): Promise<string | null>
  self: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  /** Number of concurrent builds, and each one's limits in milliseconds and bytes. */
  jobs: number
  timeMs: number
  memoryBytes: number
  onOutcome: (outcome: PackOutcome) => void
  signal: AbortSignal
}

/**
 * Builds each library version in a list, and publishes each new one that passes the checks. If a
 * version fails, its published state stays and the rest continues.
 * @returns the outcomes in the order of the list
 */
export async function buildList(
  wishes: readonly PackSpec[],
  list: BuildList,
): Promise<PackOutcome[]> {
  const turns = openJobLimiter(list.jobs)
  const ended = await Promise.allSettled(
    wishes.map((spec) =>
      turns.run(async () => {
        const outcome = await built(spec, list)
        list.onOutcome(outcome)
        return outcome
      }),
    ),
  )
  return ended.map((it) => {
    if (it.status === 'fulfilled') return it.value
    throw it.reason
  })
}

async function built(wish: PackSpec, list: BuildList): Promise<PackOutcome> {
  const started = performance.now()
  const figures: BuildFigures = { ...emptyFigures, notes: [] }
  const outcome = (result: PackOutcome['result'], path: string | null, error?: OgError) => ({
    library: wish.library,
    wishedVersion: wish.version,
    ...figures,
    result,
    path,
    error: error ?? null,
    seconds: Math.round((performance.now() - started) / 100) / 10,
  })
  try {
    await using temporary = await createTempFolder('og-ci')
    const { path: folder } = temporary
    const og = (words: readonly string[]) => runOg(words, { list, folder, started })
    const path = await list.build(wish, { folder, og }, figures)
    return path === null ? outcome('unchanged', figures.before) : outcome('published', path)
  } catch (error) {
    list.signal.throwIfAborted()
    if (!(error instanceof OgError)) throw error
    return outcome('failed', figures.before, error)
  }
}

type OgRun = { list: BuildList; folder: string; started: number }

/** Runs og. Exit code 1 means that the result is incomplete; the output says why. */
async function runOg(words: readonly string[], { list, folder, started }: OgRun): Promise<unknown> {
  const { self, cwd, signal, timeMs, memoryBytes } = list
  const env = {
    ...definedOnly(list.env),
    OG_DB_PATH: join(folder, 'store'),
    OG_SOURCES__AUTO_ADD_LOCAL: 'false',
    OG_PROGRESS: '',
    NO_COLOR: '1',
  }
  const command = [...self, ...words, '--no-input']
  const limits = { deadline: started + timeMs, memoryBytes }
  const { exitCode, stdout, stderr } = await runLimited(command, { cwd, env, signal }, limits)
  if (exitCode <= 1) return JSON.parse(stdout)
  const lines = stderr.split('\n')
  const said = (start: string) => lines.find((line) => line.startsWith(start))?.slice(start.length)
  throw new OgError(said('error: ') ?? `og ${words[0]} ended with exit code ${exitCode}`, {
    hint: said('hint: '),
  })
}

function definedOnly(env: BuildList['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined),
  ) as Record<string, string>
}

type RunLimits = {
  deadline: number
  /** Memory limit for the program and all its child processes together. Linux only. */
  memoryBytes: number
}

/**
 * Runs a program until it exits. At a limit, or if the signal aborts, ends the program and all its
 * child processes.
 * @throws OgError if a limit ended the program; the signal's reason if it aborted
 */
export async function runLimited(
  command: string[],
  { signal, ...options }: SpawnOptions,
  { deadline, memoryBytes }: RunLimits,
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  signal?.throwIfAborted()
  await using child = startProgram(command, options)
  let why: string | null = null
  const watch = setInterval(() => {
    const family = familyOf(child.pid)
    if (performance.now() > deadline) why = 'it takes longer than --time-limit allows'
    else if (family.reduce((sum, { bytes }) => sum + bytes, 0) > memoryBytes) {
      why = `it takes over ${Math.round(memoryBytes / 1e6)} MB of memory (--memory)`
    }
    if (why === null && !signal?.aborted) return
    child.kill()
    // Child processes such as git may have their own process group.
    for (const { pid } of family) signalProcess(pid, 'SIGKILL')
  }, 100)
  try {
    await child.stdin.end()
    const stdout = await new Response(child.stdout).text()
    const { exitCode, stderr } = await child.ended
    signal?.throwIfAborted()
    if (why !== null) throw new OgError(`Cannot build it: ${why as string}`)
    return { exitCode, stdout, stderr }
  } finally {
    clearInterval(watch)
  }
}

/** Returns a process and its descendants with their unshared memory. Linux only. */
function familyOf(root: number): (Usage & { pid: number })[] {
  if (process.platform !== 'linux') return []
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const usage = usageOf(Number(name))
      return usage === null ? [] : [{ pid: Number(name), ...usage }]
    })
  const family = all.filter(({ pid }) => pid === root)
  for (const { pid } of family) family.push(...all.filter(({ parent }) => parent === pid))
  return family
}

export function markdownSummary(
  outcomes: readonly PackOutcome[],
  what: 'pack' | 'state' = 'pack',
): string {
  const title = what === 'pack' ? 'Pack' : 'State'
  const head = ['Library', 'Version', 'Result', 'Pages', 'Chunks', 'Health', 'Hits', title, 'Time']
  const rows = outcomes.map((it) => summaryRow(it).map(cell))
  const failed = outcomes.filter(({ error }) => error !== null)
  const noted = outcomes.filter(({ notes }) => notes.length > 0)
  const lines = [
    `## ${title}s: ${summaryLine(outcomes)}`,
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ]
  if (failed.length > 0) lines.push('', '### Failed', '', ...failed.map(failureItem))
  if (noted.length > 0) {
    lines.push(
      '',
      '### Not whole',
      '',
      ...noted.flatMap((it) => it.notes.map((note) => `- **${cell(nameOf(it))}**: ${cell(note)}`)),
    )
  }
  return `${lines.join('\n')}\n`
}

/** Formats the totals as `3 published, 1 unchanged, 1 failed`. */
export function summaryLine(outcomes: readonly PackOutcome[]): string {
  return (['published', 'unchanged', 'failed'] as const)
    .map((result) => `${outcomes.filter((it) => it.result === result).length} ${result}`)
    .join(', ')
}

export function summaryRow(it: PackOutcome): string[] {
  const count = (value: number | null, unit = '') => (value === null ? '-' : `${value}${unit}`)
  return [
    it.library,
    it.version ?? it.wishedVersion ?? '-',
    it.result,
    count(it.pages),
    count(it.chunks),
    count(it.health, ' %'),
    count(it.hits, ' %'),
    it.path ?? '-',
    `${it.seconds.toFixed(1)} s`,
  ]
}

export function junitSummary(outcomes: readonly PackOutcome[]): string {
  const failures = outcomes.filter(({ error }) => error !== null).length
  const seconds = outcomes.reduce((sum, it) => sum + it.seconds, 0).toFixed(1)
  const counts =
    `tests="${outcomes.length}" failures="${failures}" errors="0" skipped="0" ` +
    `time="${seconds}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="og ci build" ${counts}>`,
    ...outcomes.map(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function nameOf({ library, version, wishedVersion }: PackOutcome): string {
  return `${library} ${version ?? wishedVersion ?? ''}`.trim()
}

function failureItem(it: PackOutcome): string {
  const { message, hint } = it.error!
  const kept = it.path === null ? 'none of it is published' : `${it.path} stays`
  return (
    `- **${cell(nameOf(it))}**: ${cell(message)}${hint ? ` (${cell(hint)})` : ''}; ` +
    `${cell(kept)}`
  )
}

function cell(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').replace(/[\\`*_[\]<>|&#~]/g, '\\$&')
}

function testCase(it: PackOutcome): string {
  const version = it.version ?? it.wishedVersion ?? 'default'
  const named =
    `classname="${xml(it.library)}" name="${xml(version)}" ` + `time="${it.seconds.toFixed(1)}"`
  const said = [it.result, it.path ?? '', ...it.notes].filter((line) => line !== '').join('\n')
  const failure =
    it.error === null
      ? ''
      : `<failure message="${xml(it.error.message)}">${xml(it.error.hint ?? '')}</failure>`
  return `    <testcase ${named}>${failure}<system-out>${xml(said)}</system-out></testcase>`
}

function xml(text: string): string {
  const names: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    '\n': '&#10;',
  }
  return text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g, '')
    .replace(/[&<>"\n]/g, (character) => names[character]!)
}

/** One of `count` jobs that share a list. `index` starts at 1. */
type Shard = { index: number; count: number }

export function parseShard(text: string): Shard {
  const [, index, count] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []
  const shard = { index: Number(index), count: Number(count) }
  if (shard.index >= 1 && shard.index <= shard.count) return shard
  throw new OgError(`Cannot use --shard "${text}": it is I/N, with I from 1 to N`)
}

/**
 * True if a name belongs to this job because its hash with this job is the highest (rendezvous
 * hashing). A new job takes an equal share from each existing job, and no other name moves.
 */
export function isInShard(name: string, { index, count }: Shard): boolean {
  let [best, highest] = [0, '']
  for (let job = 1; job <= count; job++) {
    const hash = sha256(`${job}\n${name}`)
    if (hash > highest) [best, highest] = [job, hash]
  }
  return best === index
}
