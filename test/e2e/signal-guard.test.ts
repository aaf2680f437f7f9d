/**
 * Tests that native code receives signals on a different thread from JavaScript, even in commands
 * that only open memory.
 */
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildKernels } from '../../scripts/build/kernels.ts'
import { createWorld, handbook, type World } from '../support/e2e.ts'
import { until } from '../support/until.ts'
import { testWhere } from '../support/where.ts'

const { path } = await buildKernels()
const testGuarded = testWhere(path === null ? 'no C compiler has built the kernels' : null)
const sigalrm = 14

/** Only the signal guard handles SIGALRM. */
function isGuarded(pid: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const caught = BigInt(`0x${/^SigCgt:\s+(\w+)/m.exec(status)![1]}`)
  return (caught & (1n << BigInt(sigalrm - 1))) !== 0n
}

async function check(world: World, args: string[]): Promise<void> {
  const running = world.start(args, { env: { GROUNDMEMORY_ROOT_DIR: join(world.folder, 'notes') } })
  await until(`og ${args.join(' ')} is guarded`, () => isGuarded(running.pid))
  running.kill('SIGTERM')
  expect((await running.ended).exitCode).toBeOneOf([0, 143])
}

testGuarded('memory serve', async () => {
  await using world = await createWorld()
  // Unpacks the native libraries.
  await world.og(['add', 'handbook', '-s', handbook, '-v', '1'])
  await check(world, ['memory', 'serve', '--port', '0'])
})
