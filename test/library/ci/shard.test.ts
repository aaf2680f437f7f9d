import { expect, test } from 'bun:test'
import { isInShard, parseShard } from '../../../src/library/ci/shard.ts'

const names = Array.from({ length: 1000 }, (_, i) => `library-${i}@1.0`)
const shareOf = (count: number) => (name: string) =>
  Array.from({ length: count }, (_, i) => i + 1).filter((index) =>
    isInShard(name, { index, count }),
  )

test('assigns each name to one job, and moves only one share to an additional job', () => {
  const [four, five] = [names.map(shareOf(4)), names.map(shareOf(5))]
  for (const share of [...four, ...five]) expect(share).toHaveLength(1)
  for (const index of [1, 2, 3, 4]) {
    const count = four.filter(([it]) => it === index).length
    expect(count).toBeGreaterThan(200)
    expect(count).toBeLessThan(300)
  }
  const moved = names.flatMap((_, i) => (four[i]![0] === five[i]![0] ? [] : five[i]!))
  expect(new Set(moved)).toEqual(new Set([5]))
})

test('parses a share written as I/N', () => {
  expect(parseShard('2/4')).toEqual({ index: 2, count: 4 })
  for (const text of ['', '0/4', '5/4', '1', 'a/b', '-1/2', '1/2/3']) {
    expect(() => parseShard(text)).toThrow(`Cannot use --shard "${text}": it is I/N`)
  }
})
