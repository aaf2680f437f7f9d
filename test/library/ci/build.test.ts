import { expect, test } from 'bun:test'
import {
  addCommandArguments,
  checkSearchQuality,
  emptyFigures,
  failureNotes,
} from '../../../src/library/ci/build-pack.ts'
import type { PackSpec } from '../../../src/library/ci/pack-list.ts'

const wish: PackSpec = {
  library: 'lamp',
  version: null,
  addArguments: ['--source=x'],
  vectors: 'f32',
  minHealth: null,
  questions: 'q.jsonl',
  minHits: 80,
}

test('converts a line of the list to a command', () => {
  const words = ['add', 'lamp', '--from=source', '--source=x']
  expect(addCommandArguments(wish)).toEqual([...words, '--json'])
  expect(addCommandArguments({ ...wish, version: '^2' })).toEqual([
    ...words,
    '--version=^2',
    '--json',
  ])
})

test('combines all failed pages into one note', () => {
  const failed = [
    { url: 'a', reason: 'why' },
    { url: 'b', reason: 'why' },
  ]
  const added = { pages: 1, chunks: 1, incomplete: null }
  expect(failureNotes({ ...added, failed })).toEqual(['cannot be read: a (why), and 1 more'])
  expect(failureNotes({ ...added, failed: [] })).toEqual([])
})

test('rejects a pack that answers too few of the test questions', async () => {
  const figures = { ...emptyFigures, notes: [] }
  const asked = (hits: number, unknown: string[] = []) =>
    checkSearchQuality(
      wish,
      async () => ({ arms: { hybrid: { hit_5_served: hits } }, unknown_gold: unknown }),
      figures,
    )
  await asked(0.8)
  expect(figures).toMatchObject({ hits: 80, health: null })
  expect(asked(0.5)).rejects.toThrow('50 % of its questions are answered by the first five hits')
})
