/**
 * Types, build and tests: `npm test [-- [-t NAME] PATH…]`. The last line is `N passed, N failed`.
 * A failed typecheck or build counts as one. test/corpora and test/eval run only where named.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Glob } from 'bun'
import { messageOf, OgError } from '../src/platform/error.ts'
import { build } from './build.ts'
import { buildKernels } from './kernels.ts'
import { modelNamed } from '../src/embed/models.ts'
import { acquireBuildModel, acquireOtherModel } from './model.ts'

type Count = { passed: number; failed: number }
type Options = { deadline: number; namePattern: string | undefined }

const root = join(import.meta.dir, '..')
const home = join(root, 'build', 'test-home')
const report = join(root, 'build', 'junit.xml')

async function main(): Promise<Count> {
  const { values, positionals } = parseArgs({
    options: {
      minutes: { type: 'string', default: '25' },
      'test-name-pattern': { type: 'string', short: 't' },
    },
    allowPositionals: true,
  })
  const deadline = Date.now() + 60_000 * Number(values.minutes)
  const namePattern = values['test-name-pattern']
  const selected = testFiles(positionals)
  const hasTypes = await step('typecheck', () => typecheck(deadline))
  const isBuilt = await step('build', () => prepare(selected))
  // Without the executable of these very sources, its tests would judge an older one.
  const files = isBuilt ? selected : selected.filter((file) => !needsExecutable(file))
  const { passed, failed } = await runTests(files, { deadline, namePattern })
  return { passed, failed: failed + Number(!hasTypes) + Number(!isBuilt) }
}

/** All but the heavy ones; or those whose path holds one of the words. */
function testFiles(words: string[]): string[] {
  const files = [...new Glob('test/**/*.test.ts').scanSync(root)].sort()
  if (words.length === 0) return files.filter((file) => !/^test\/(corpora|eval)\//.test(file))
  return files.filter((file) => words.some((word) => file.includes(word.replace(/^\.\//, ''))))
}

async function typecheck(deadline: number): Promise<void> {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const known = ['--incremental', '--tsBuildInfoFile', join(root, 'build', 'tsc.json')]
  const code = await run([tsc, '--noEmit', ...known], { deadline, env: process.env })
  if (code !== 0) throw new OgError('the types are wrong')
}

/** What the files need: kernels for all, the exact model for embed/, the executable for e2e/. */
async function prepare(files: string[]): Promise<void> {
  await buildKernels()
  await acquireBuildModel({ fp32: files.some((file) => file.startsWith('test/embed/')) })
  // Where it cannot be had, its tests say that they skip.
  if (files.some((file) => /^test\/(embed|e2e)\//.test(file))) {
    const other = modelNamed('all-MiniLM-L6-v2')
    await acquireOtherModel(other).catch((error) => say(`no ${other.id}: ${messageOf(error)}`))
  }
  if (files.some(needsExecutable)) await build({ level: 9 })
}

function needsExecutable(file: string): boolean {
  return /^test\/(e2e|corpora)\//.test(file)
}

async function step(name: string, work: () => Promise<void>): Promise<boolean> {
  const started = performance.now()
  try {
    await work()
    say(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`)
    return true
  } catch (error) {
    say(`${name} failed: ${messageOf(error)}`)
    if (error instanceof OgError && error.hint) say(`hint: ${error.hint}`)
    return false
  }
}

/** Bun says itself how each test went; the report is read for the sums. */
async function runTests(files: string[], { deadline, namePattern }: Options): Promise<Count> {
  rmSync(report, { force: true })
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  if (files.length === 0) say('no test file to run')
  if (files.length === 0) return { passed: 0, failed: 1 }
  const code = await run([
    ...['test', '--timeout=60000', '--reporter=junit', `--reporter-outfile=${report}`],
    ...(namePattern === undefined ? [] : [`--test-name-pattern=${namePattern}`]),
    ...files.map((file) => `./${file}`),
  ], { deadline, env: testEnvironment() })
  const { passed, failed } = counted()
  if (code !== 0 && failed === 0) say(`bun test ended with code ${code} and no failed test`)
  const isWrong = code !== 0 || passed === 0
  return { passed, failed: isWrong ? Math.max(failed, 1) : failed }
}

/** Nothing where there is no report: Bun did not come to the end. */
function counted(): Count {
  if (!existsSync(report)) return { passed: 0, failed: 0 }
  const head = /<testsuites [^>]*>/.exec(readFileSync(report, 'utf8'))?.[0] ?? ''
  const sum = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(head)?.[1] ?? 0)
  return { passed: sum('tests') - sum('failures') - sum('skipped'), failed: sum('failures') }
}

/**
 * A home of their own, so that tests neither read nor write what belongs to the user. No XDG folder
 * is named: a test that gives a child another HOME means all of its folders.
 */
function testEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(OG_(?!SHARED$)|HF_|XDG_|GIT_|NO_COLOR$|FORCE_COLOR$)/
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name))
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
  }
}

type RunOptions = { deadline: number; env: NodeJS.ProcessEnv }

/** Runs Bun as a process group, so that past the deadline its children end with it. */
function run(args: string[], { deadline, env }: RunOptions): Promise<number> {
  const child = spawn(process.execPath, args, {
    cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'], detached: true,
  })
  const kill = (signal: NodeJS.Signals) => process.kill(-child.pid!, signal)
  const timer = setTimeout(() => {
    say('time is up: what runs is killed')
    kill('SIGKILL')
  }, deadline - Date.now())
  const interrupt = () => {
    kill('SIGKILL')
    process.exit(130)
  }
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  return new Promise((resolve) => {
    child.on('error', (error) => say(messageOf(error)))
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
      resolve(code ?? 128 + constants.signals[signal!])
    })
  })
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

const { passed, failed } = await main().catch((error: unknown) => {
  say(messageOf(error))
  return { passed: 0, failed: 1 }
})
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0
