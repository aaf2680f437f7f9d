import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { buildKernels } from '../../../scripts/build/kernels.ts'
import { guardSignals } from '../../../src/platform/aside/signal-guard.ts'

const { path } = await buildKernels()
const program = join(import.meta.dir, '../..', 'support', 'programs', 'stuck.ts')

/** The exit code after SIGTERM; `stuck`: the main thread is, `later`: soon after the signal. */
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

/** Takes the processor away for longer than the usual limit, as a very busy machine does. */
async function pauseAfterSignal(child: Bun.Subprocess): Promise<void> {
  await Bun.sleep(300)
  child.kill('SIGSTOP')
  await Bun.sleep(1_500)
  child.kill('SIGCONT')
}

test('without a library nothing is guarded, and nothing fails', () => {
  guardSignals(null)
  guardSignals('/nonexistent/libog_kernels.so')
})

// As the kernels: without a C compiler there are none.
if (path !== null) {
  test('a signal ends a program whose main thread is stuck', () => check('stuck', 143))

  test('also without machine code of bun:ffi', () => check('stuck', 143, { BUN_JSC_useJIT: '0' }))

  test('also where it comes to be stuck while it ends', () => check('later', 143))

  test('a server that stops gracefully survives 1.5 s without a processor', () =>
    check('graceful', 7))

  test('one that goes round takes the time that it needs to end', () => check('free', 7))
}
