import { expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  buildState,
  emptyFigures,
  type BuildFigures,
  type RunOg,
} from '../../../src/library/ci/build-pack.ts'
import { isInShard, parseShard } from '../../../src/library/ci/build-list.ts'
import type { PackSpec } from '../../../src/library/ci/pack-list.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { readEntries } from '../../../src/store/registry.ts'
import { writeGeneration } from '../../support/store.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-build-state'))

const wish: PackSpec = {
  library: 'lamp',
  version: '1',
  addArguments: [],
  vectors: 'f32',
  minHealth: null,
  questions: null,
  minHits: 80,
}
const source = { kind: 'local_path', path: '/docs' }

/**
 * Runs a build in which `og add` prints `said`, or finds no change if `said` is null. `meanwhile`
 * runs before the build ends.
 */
async function build({
  name,
  said,
  commit = null,
  incomplete = null,
  meanwhile,
}: {
  name: string
  said: string | null
  commit?: string | null
  incomplete?: string | null
  meanwhile?(): Promise<unknown>
}): Promise<{ words: string[]; end: string | null; figures: BuildFigures }> {
  const [folder, store] = [join(temp().path, name), join(temp().path, 'store')]
  const words: string[] = []
  const og: RunOg = async (typed) => {
    words.push(typed.at(-1)!)
    if (typed.includes('--dry-run')) return { version: '1', source, commit, incomplete }
    if (said !== null) {
      const options = { library: 'lamp', embedder: null }
      await writeGeneration(join(folder, 'store'), { a: said }, options)
    }
    await meanwhile?.()
    return { pages: 1, chunks: 1, failed: [], incomplete: null }
  }
  const figures: BuildFigures = { ...emptyFigures, notes: [] }
  const signal = new AbortController().signal
  const building = { store, folder, og, isMadeAlike: () => true, signal }
  const end = await buildState(wish, building, figures).catch((error: Error) => error.message)
  return { words, end, figures }
}

const live = async () => (await readEntries(join(temp().path, 'store')))[0]!

test('publishes the first build and changed builds, but no unchanged or outdated build', async () => {
  const first = await build({ name: '1', said: 'is new' })
  expect(first.end).toBe(`generations/${(await live()).live.id}`)
  expect(first.figures).toMatchObject({ version: '1', pages: 1, before: null })
  const second = await build({ name: '2', said: 'gives light' })
  expect(second.figures.before).toBe(first.end)
  expect(`generations/${(await live()).previous!.id}`).toBe(first.end!)
  expect((await build({ name: '3', said: null })).end).toBeNull()
  const late = await build({
    name: '4',
    said: 'older',
    meanwhile: () => build({ name: '5', said: 'newer' }),
  })
  expect(late.end).toStartWith('Cannot publish library "lamp" version "1": another builder')
  expect(`generations/${(await live()).previous!.id}`).toBe(second.end!)
})

test('does not publish a source that could be read only in part', async () => {
  const { words, end } = await build({
    name: '1',
    said: 'is a part',
    incomplete: 'cannot reach git.example',
  })
  expect(words).toEqual(['--dry-run'])
  expect(end).toBe('Its source is incomplete: cannot reach git.example')
})

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
