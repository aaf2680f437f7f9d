import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { withExplainedErrors } from '../../../src/store/integrity/damage.ts'
import { openLive, writeGeneration } from '../../support/store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'
import type { OpenGeneration } from '../../../src/store/open-generation.ts'

const temp = disposeAfterAll(await createTempFolder('og-guarded'))
await writeGeneration(temp.path, { a: 'tea and cake', b: 'coffee' }, { library: 'l' })
const open = disposeAfterAll((await openLive(temp.path))[0]!)

const explain = async (error: unknown) => new Error(`explained: ${(error as Error).message}`)
const broken = () => {
  throw new Error('lance at /build/src/x.rs')
}

type Asking = Partial<Record<keyof OpenGeneration, (it: OpenGeneration) => Promise<unknown>>>

/** Methods that return one answer. */
const questions = {
  fullText: (it) => it.fullText(['tea'], 5),
  fullTextOfAll: (it) => it.fullTextOfAll(['tea', 'cake'], 5),
  literal: (it) => it.literal('tea', 5),
  nearest: (it) => it.nearest(new Float32Array(32).fill(1), 1),
  pageIndex: async (it) => (await it.pageIndex())?.knows('tea'),
  vocabulary: async (it) => (await it.vocabulary()) === null,
  chunks: (it) => it.chunks([0n]),
  bestScores: (it) => it.bestScores([new Float32Array(32).fill(1)]),
  embeddings: (it) => it.embeddings([0n]),
  chunkRanges: (it) => it.chunkRanges('a'),
  chunksOf: (it) => it.chunksOf('a'),
  page: (it) => it.page('a'),
  pageTexts: (it) => it.pageTexts(['a']),
  pageStates: (it) => it.pageStates(),
  pageHeads: (it) => it.pageHeads(),
  license: (it) => it.license(),
} satisfies Asking

/** Methods that yield many answers. */
const readings = {
  chunkHeadings: (it) => Array.fromAsync(it.chunkHeadings()),
  pages: (it) => Array.fromAsync(it.pages()),
  chunkRows: (it) => Array.fromAsync(it.chunkRows()),
  pagesByUrl: (it) => Array.fromAsync(it.pagesByUrl()),
  chunksByPlace: (it) => Array.fromAsync(it.chunksByPlace()),
  embeddedChunks: (it) => Array.fromAsync(it.embeddedChunks(['a'])),
  chunksBut: async (it) => {
    const batches = await Array.fromAsync(it.chunksBut(['a']))
    return batches.map((batch) => batch.numRows)
  },
} satisfies Asking

test('covers every method of a generation', () => {
  const asked = Object.keys({ ...questions, ...readings })
  const others = Object.keys(withExplainedErrors(open, explain)).filter(
    (name) => !asked.includes(name),
  )
  expect(others.sort()).toEqual(['generation', 'prepareSearch', 'within'])
})

const failing: [Asking, () => unknown][] = [
  [questions, async () => broken()],
  [
    readings,
    async function* () {
      broken()
    },
  ],
]

for (const [asking, fail] of failing) {
  test.each(Object.entries(asking))(
    '%s returns the same answer, and its errors are explained',
    async (name, ask) => {
      expect(await ask(withExplainedErrors(open, explain))).toEqual((await ask(open)) as never)
      await expect(ask(withExplainedErrors({ ...open, [name]: fail }, explain))).rejects.toThrow(
        'explained: lance at /build/src/x.rs',
      )
    },
  )
}

test('also explains errors of a view of some pages', async () => {
  const within = withExplainedErrors(open, explain).within(new Set(['b']))
  expect(await within.fullText(['tea'], 5)).toEqual([])
  const failing = { ...open, within: () => ({ ...open, page: async () => broken() }) }
  await expect(
    withExplainedErrors<OpenGeneration>(failing, explain).within(new Set()).page('a'),
  ).rejects.toThrow('explained: ')
})

test('explains an error in the middle of a stream, after the items before it', async () => {
  async function* rows() {
    yield [1]
    broken()
  }
  const told: unknown[] = []
  const read = async () => {
    const { pages } = withExplainedErrors<OpenGeneration>(
      { ...open, pages: rows as never },
      explain,
    )
    for await (const row of pages()) told.push(row)
  }
  await expect(read()).rejects.toThrow('explained: ')
  expect(told).toEqual([[1]])
})

test("ends the stream when its reader stops, without explaining the reader's own error", async () => {
  let isEnded = false
  async function* rows() {
    try {
      yield [1]
      yield [2]
    } finally {
      isEnded = true
    }
  }
  const read = async () => {
    for await (const _ of withExplainedErrors<OpenGeneration>(
      { ...open, pages: rows as never },
      explain,
    ).pages()) {
      throw new Error('of the reader')
    }
  }
  await expect(read()).rejects.toThrow(new Error('of the reader'))
  expect(isEnded).toBe(true)
})

test('exposes the generation that is open, and closes it at the end', () => {
  let isDisposed = false
  const other = {
    ...open,
    [Symbol.dispose]: () => {
      isDisposed = true
    },
  }
  {
    using it = withExplainedErrors(other, explain)
    expect(it.generation).toBe(open.generation)
  }
  expect(isDisposed).toBe(true)
})
