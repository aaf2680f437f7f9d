import { expect } from 'bun:test'
import { usageOf } from '../../src/platform/system.ts'
import { until } from '../support/until.ts'
import { testWhere } from '../support/where.ts'

const onLinux = testWhere(
  process.platform === 'linux' ? null : 'processes tell of themselves on Linux',
)

onLinux('measures a process while it runs', async () => {
  const child = Bun.spawn(['sleep', '600'])
  await until('it sleeps', () => usageOf(child.pid)?.isWaiting === true)
  const before = usageOf(child.pid)!
  expect(before).toMatchObject({ parent: process.pid, isWaiting: true })
  expect(before.bytes).toBeLessThan(20e6)
  child.kill()
  await child.exited
  expect(usageOf(child.pid)).toBeNull()
})

onLinux('measures the growing memory of a process that computes', () => {
  const before = usageOf(process.pid)!
  const kept = new Uint8Array(256e6).fill(1)
  while (usageOf(process.pid)!.cpuMs < before.cpuMs + 50) kept[0]!++
  const after = usageOf(process.pid)!
  expect(after.isWaiting).toBe(false)
  expect(after.bytes).toBeGreaterThan(before.bytes + 128e6)
})
