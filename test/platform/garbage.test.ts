import { expect, spyOn, test } from 'bun:test'
import { collectBetween, collectMeanwhile, collectIfLarge } from '../../src/platform/garbage.ts'
import { glibcVersion } from '../../src/platform/system.ts'
import { startScript } from '../support/child.ts'
import { testWhere } from '../support/where.ts'

test('collects garbage at once if much memory is used', async () => {
  const held = new Uint8Array(400e6).fill(1)
  const dropped = () => new WeakRef(new Uint8Array(1e6))
  const found = Array.from({ length: 20 }, dropped)
  await Bun.sleep(1)
  collectIfLarge()
  expect(found.filter((it) => it.deref() !== undefined).length).toBeLessThan(5)
  expect(held.length).toBe(400e6)
})

test('skips a collection if only little memory is new', () => {
  const held = new Uint8Array(400e6).fill(1)
  collectIfLarge()
  const collect = spyOn(Bun, 'gc')
  try {
    collectIfLarge()
    expect(collect).not.toHaveBeenCalled()
    // Much, because the engine may return freed memory at the same time.
    const more = new Uint8Array(250e6).fill(1)
    collectIfLarge()
    expect(collect).toHaveBeenCalledTimes(1)
    expect(held.length + more.length).toBe(650e6)
  } finally {
    collect.mockRestore()
  }
})

test("spends at most a fifth of a loop's time on collections", () => {
  const held = new Uint8Array(400e6).fill(1)
  const began = performance.now()
  let [collectingMs, longestMs] = [0, 0]
  while (performance.now() - began < 1000) {
    const dropped = new Uint8Array(20e6).fill(1).length
    expect(dropped).toBe(20e6)
    const at = performance.now()
    collectMeanwhile()
    const ms = performance.now() - at
    collectingMs += ms
    longestMs = Math.max(longestMs, ms)
    while (performance.now() - at < 1);
  }
  expect(collectingMs).toBeGreaterThan(0)
  expect(collectingMs).toBeLessThan((performance.now() - began) / 4 + longestMs)
  expect(held.length).toBe(400e6)
})

test('yields batches unchanged and collects garbage between them', async () => {
  const held = new Uint8Array(400e6).fill(1)
  const collect = spyOn(Bun, 'gc')
  try {
    const came: number[] = []
    for await (const { number, block } of collectBetween(batches(8))) {
      came.push(number)
      expect(block.length).toBe(20e6)
    }
    expect(came).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(collect.mock.calls.length).toBeGreaterThan(1)
    expect(held.length).toBe(400e6)
  } finally {
    collect.mockRestore()
  }
})

/** 4096 rows and 20 MB each. */
async function* batches(count: number) {
  for (let number = 0; number < count; number++) {
    yield { number, numRows: 4096, block: new Uint8Array(20e6).fill(1) }
  }
}

const lackOfGlibc = glibcVersion() === null ? 'only glibc keeps what was freed' : null

testWhere(lackOfGlibc)('returns large blocks of native code to the system', async () => {
  await using kept = startScript('large-blocks.ts', ['kept'])
  await using returned = startScript('large-blocks.ts', ['returned'])
  expect(Number(await kept.line())).toBeGreaterThan(80e6)
  expect(Number(await returned.line())).toBeLessThan(20e6)
})
