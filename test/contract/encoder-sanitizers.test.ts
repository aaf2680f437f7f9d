import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { weightFile } from '../../scripts/model/quantise.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { randomWeights, shape } from '../support/native/encoder-reference.ts'
import { testWhere } from '../support/where.ts'

const root = join(import.meta.dir, '..', '..')
const ofThreads = ['-Og', '-fsanitize=thread']

test('passes random texts and damaged weight files to the encoder under the memory sanitizers', () =>
  fuzz(['-O0', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'], {
    rounds: 8,
    copies: 50,
  }))

testWhere(await lackOfThreads())('passes the same under the thread sanitizer', () =>
  fuzz(ofThreads, { rounds: 2, copies: 1 }),
)

/**
 * According to gcov, 25 rounds run two lines more than 8 rounds. `copies` is the number of damaged
 * weight files.
 */
async function fuzz(flags: string[], sizes: { rounds: number; copies: number }): Promise<void> {
  await using folder = await createTempFolder('encoder-fuzz')
  const program = fuzzProgram(flags)
  const weights = join(folder.path, 'weights')
  writeFileSync(weights, weightFile(randomWeights(3), { heads: shape.heads, pooling: 'cls' }))
  const ran = Bun.spawnSync([program, weights, '1', `${sizes.rounds}`, `${sizes.copies}`])
  expect(ran.stderr.toString()).toBe('')
  expect(ran.stdout.toString()).toBe('done\n')
}

/** Compiling takes 16 s of CPU, so a program is compiled again only if its inputs have changed. */
function fuzzProgram(flags: string[]): string {
  const source = join(root, 'test', 'native', 'fuzz-encoder.c')
  const native = join(root, 'native')
  const args = [
    ...['-g', '-ffp-contract=off', ...flags, source, join(native, 'encoder.c')],
    ...['-lm', '-lpthread'],
  ]
  const texts = [source, ...readdirSync(native).map((name) => join(native, name))]
    .filter((path) => /\.[ch]$/.test(path))
    .map((path) => readFileSync(path, 'utf8'))
  const version = Bun.spawnSync([...compiler(), '--version']).stdout.toString()
  const inputs = createHash('sha256').update(JSON.stringify([version, args, texts]))
  const folder = join(root, 'build', 'sanitizers')
  const program = join(folder, inputs.digest('hex').slice(0, 16))
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  const draft = `${program}-${process.pid}`
  expect(compile(draft, args)).toBe('')
  renameSync(draft, program)
  return program
}

function compiler(): string[] {
  return (process.env.CC?.trim() || 'cc').split(/\s+/)
}

/** Returns the output of the compiler, which is empty if compilation succeeds. */
function compile(program: string, args: string[]): string {
  return Bun.spawnSync([...compiler(), '-std=gnu11', ...args, '-o', program]).stderr.toString()
}

/**
 * Some Linux kernels randomise addresses so much that programs with this sanitizer do not start.
 */
async function lackOfThreads(): Promise<string | null> {
  await using folder = await createTempFolder('encoder-threads')
  const [source, program] = [join(folder.path, 'empty.c'), join(folder.path, 'empty')]
  writeFileSync(source, 'int main(void) { return 0; }')
  const runs =
    compile(program, [...ofThreads, source]) === '' && Bun.spawnSync([program]).exitCode === 0
  return runs ? null : 'programs under the sanitizer of threads do not run'
}
