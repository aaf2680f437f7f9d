/**
 * Runs typecheck, linter, build and tests: `npm test [-- [--coverage] [-t NAME] PATH…]`. The last
 * line is `N passed, N failed`, followed by `, N skipped` if tests could not run on this machine.
 * The lines above it list the skipped and failed tests. A failed typecheck, linter or build counts
 * as one test. test/corpora runs only if it is named.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, constants } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Glob } from 'bun'
import { messageOf, OgError } from '../src/platform/error.ts'
import { build } from './build/build.ts'
import { buildKernels } from './build/kernels.ts'
import { findModel } from '../src/embed/models.ts'
import { acquireBuildModel, acquireOtherModel } from './model/model.ts'
import { createScratch, testEnvironment, timeout } from '../test/support/run/environment.ts'
import { readReport, sumLine, type TestReport } from './test-report.ts'

type Options = { deadline: number; namePattern: string | undefined; coverage: boolean }

const root = join(import.meta.dir, '..')
const scratch = createScratch()
const report = join(root, 'build', 'junit.xml')

async function main(): Promise<TestReport> {
  const { values, positionals } = parseArgs({
    options: {
      coverage: { type: 'boolean', default: false },
      minutes: { type: 'string', default: '60' },
      'test-name-pattern': { type: 'string', short: 't' },
    },
    allowPositionals: true,
  })
  const deadline = Date.now() + 60_000 * Number(values.minutes)
  const { 'test-name-pattern': namePattern, coverage } = values
  const selected = testFiles(positionals)
  // At the same time, because the type checker uses only one core.
  const [typeFaults, lintFaults, buildFaults] = await Promise.all([
    step('typecheck', () => typecheck(deadline)),
    step('lint', () => lint(deadline)),
    step('build', () => prepare(selected)),
  ])
  // If the build failed, tests of the executable would run an older one.
  const isBuilt = buildFaults.length === 0
  const files = isBuilt ? selected : selected.filter((file) => !needsExecutable(file))
  const { passed, failed, skipped } = await runTests(files, { deadline, namePattern, coverage })
  return { passed, failed: [...typeFaults, ...lintFaults, ...buildFaults, ...failed], skipped }
}

/** All files except test/corpora/, or the files whose path contains one of the words. */
function testFiles(words: string[]): string[] {
  const files = [...new Glob('test/**/*.test.ts').scanSync(root)].sort()
  if (words.length === 0) return files.filter((file) => !file.startsWith('test/corpora/'))
  return files.filter((file) => words.some((word) => file.includes(word.replace(/^\.\//, ''))))
}

async function typecheck(deadline: number): Promise<void> {
  const tsc = join(root, 'node_modules', 'typescript-7', 'bin', 'tsc')
  const known = ['--incremental', '--tsBuildInfoFile', join(root, 'build', 'tsc.json')]
  const code = await run([tsc, '--noEmit', ...known], { deadline, env: process.env })
  if (code !== 0) throw new OgError('the types are wrong')
}

async function lint(deadline: number): Promise<void> {
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome')
  const code = await run([biome, 'ci', '.'], { deadline, env: process.env })
  if (code !== 0) throw new OgError('the linter found faults', { hint: 'npm run format' })
}

/** Builds kernels for all tests, the exact model for embed/, and the executable for e2e/. */
async function prepare(files: string[]): Promise<void> {
  await buildKernels()
  await acquireBuildModel({ fp32: files.some((file) => file.startsWith('test/embed/')) })
  // If this model is unavailable, its tests are skipped.
  if (files.some((file) => /^test\/(embed|e2e)\//.test(file))) {
    const other = findModel('all-MiniLM-L6-v2')
    await acquireOtherModel(other).catch((error) => say(`no ${other.id}: ${messageOf(error)}`))
  }
  if (files.some(needsExecutable)) await build()
}

function needsExecutable(file: string): boolean {
  return /^test\/(e2e|corpora)\//.test(file)
}

/** @returns one line if the work failed, otherwise none */
async function step(name: string, work: () => Promise<void>): Promise<string[]> {
  const started = performance.now()
  try {
    await work()
    say(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`)
    return []
  } catch (error) {
    const fault = `${name}: ${messageOf(error)}`
    say(`${name} failed: ${messageOf(error)}`)
    if (error instanceof OgError && error.hint) say(`hint: ${error.hint}`)
    return [fault]
  }
}

/** Bun prints each result; the totals and the failed tests come from its report. */
async function runTests(files: string[], options: Options): Promise<TestReport> {
  const { deadline, namePattern, coverage } = options
  rmSync(report, { force: true })
  if (files.length === 0) return { passed: 0, failed: ['no test file to run'], skipped: [] }
  const code = await run(
    [
      ...['test', timeout, '--reporter=junit', `--reporter-outfile=${report}`],
      // More files than cores, because some files wait for processes or timers.
      ...[`--parallel=${availableParallelism() + 2}`, '--no-isolate'],
      // Named files run even if bunfig.toml excludes them.
      '--path-ignore-patterns=none',
      ...(coverage ? ['--coverage'] : []),
      ...(namePattern === undefined ? [] : [`--test-name-pattern=${namePattern}`]),
      ...files.map((file) => `./${file}`),
    ],
    { deadline, env: testEnvironment(scratch, process.env) },
  )
  // If Bun did not run to its end, there is no report.
  const xml = existsSync(report) ? readFileSync(report, 'utf8') : '<testsuites/>'
  const { passed, failed, skipped } = readReport(xml, namePattern)
  const silent = code === 0 ? [] : files.filter((file) => !xml.includes(` file="${file}"`))
  failed.push(...silent.map((file) => `${file}: it was not read, or run, to its end`))
  if (code !== 0 && failed.length === 0) failed.push(`bun test ended with code ${code}`)
  if (passed + failed.length + skipped.length === 0) failed.push('no test has run')
  return { passed, failed, skipped }
}

type RunOptions = { deadline: number; env: NodeJS.ProcessEnv }

/** Runs Bun as a process group, so that its children also end at the deadline. */
function run(args: string[], { deadline, env }: RunOptions): Promise<number> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  const kill = () => process.kill(-child.pid!, 'SIGKILL')
  killers.add(kill)
  const timer = setTimeout(() => {
    say('time is up: what runs is killed')
    kill()
  }, deadline - Date.now())
  return new Promise((resolve) => {
    child.on('error', (error) => say(messageOf(error)))
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      killers.delete(kill)
      resolve(code ?? 128 + constants.signals[signal!])
    })
  })
}

/** Each kills a running process group. */
const killers = new Set<() => void>()

function interrupt(): void {
  for (const kill of killers) kill()
  rmSync(scratch, { recursive: true, force: true })
  process.exit(130)
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
const { passed, failed, skipped } = await main().catch((error: unknown) => {
  return { passed: 0, failed: [messageOf(error)], skipped: [] }
})
rmSync(scratch, { recursive: true, force: true })
for (const line of skipped) say(`skipped: ${line}`)
for (const line of failed) say(`failed: ${line}`)
process.stdout.write(`${sumLine({ passed, failed: failed.length, skipped: skipped.length })}\n`)
process.exitCode = failed.length > 0 ? 1 : 0
