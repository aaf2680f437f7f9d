import { expect, test } from 'bun:test'
import { collectMuch } from '../../src/platform/garbage.ts'

test('where much is held, garbage goes at once', async () => {
  const held = new Uint8Array(400e6).fill(1)
  const dropped = () => new WeakRef(new Uint8Array(1e6))
  const found = Array.from({ length: 20 }, dropped)
  await Bun.sleep(1)
  collectMuch()
  expect(found.filter((it) => it.deref() !== undefined).length).toBeLessThan(5)
  expect(held.length).toBe(400e6)
})
