import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { buildKernels } from '../../../scripts/build/kernels.ts'
import { guardSignals } from '../../../src/platform/sandbox/signal-guard.ts'

const { path } = await buildKernels()
const program = join(import.meta.dir, '../..', 'support', 'programs', 'stuck.ts')

/**
 * Returns the exit code after SIGTERM. In `stuck` the main thread is blocked, and in `later` it
 * blocks soon after the signal.
 */
async function check(
  kind: 'free' | 'stuck' | 'later' | 'graceful',
  expected: number,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const command = [process.execPath, program, kind, path!]
  const child = Bun.spawn(command, {
    stdout: 'pipe',
    stdin: 'ignore',
    env: { ...process.env, ...env },
  })
  await child.stdout.getReader().read()
  await Bun.sleep(500)
  child.kill('SIGTERM')
  if (kind === 'graceful') await pauseAfterSignal(child)
  expect(await child.exited).toBe(expected)
}

/** Takes the processor away for longer than the usual limit, like a very busy machine. */
async function pauseAfterSignal(child: Bun.Subprocess): Promise<void> {
  await Bun.sleep(300)
  child.kill('SIGSTOP')
  await Bun.sleep(1_500)
  child.kill('SIGCONT')
}

test('works without the native library', () => {
  guardSignals(null)
  guardSignals('/nonexistent/libog_kernels.so')
})

// Like the kernels, the library needs a C compiler.
if (path !== null) {
  test('ends a program whose main thread is blocked', () => check('stuck', 143))

  test('works without machine code of bun:ffi', () => check('stuck', 143, { BUN_JSC_useJIT: '0' }))

  test('ends a program that blocks while it shuts down', () => check('later', 143))

  test('lets a server that stops gracefully survive 1.5 s without a processor', () =>
    check('graceful', 7))

  test('lets a responsive program shut down in its own time', () => check('free', 7))
}
