import { expect, test } from 'bun:test'
import { correctionMark, parseEntries } from '../../../src/memory/entry.ts'
import { openVectors } from '../../../src/memory/index/vectors.ts'
import { recall, type RecallHit, type RecallInputs } from '../../../src/memory/recall/recall.ts'
import { defaultRecallSettings } from '../../../src/memory/recall/recall-request.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import {
  entries,
  kernels,
  openTestMemory,
  type Asking,
} from '../../support/memory/memory-search.ts'

type Ask = (query: string, asking?: Asking) => ReturnType<typeof recall>

/** Recalls from these entries, one per day; by full text unless `vectors` is set. */
async function asking(
  bodies: string[],
  run: (ask: Ask, recaller: RecallInputs) => Promise<void>,
  withVectors = false,
) {
  const dated = bodies.map((body, i) => [`2026-01-${10 + i} 10:00`, body] as [string, string])
  await using memory = await openTestMemory({ 'MEMORY.md': entries(...dated) })
  await memory.search.sync()
  const { index } = memory.search
  const embedder = hashEmbedder()
  await using vectors = openVectors(index, { embedder, kernels, warn() {} })
  if (withVectors) await vectors.embedPending(60_000)
  const recaller: RecallInputs = {
    index,
    vectors: withVectors ? vectors : null,
    embedQuery: (text) => embedder.embedQuery(text),
  }
  const ask: Ask = (query, { settings, ...given } = {}) =>
    recall(recaller, {
      query,
      mode: 'hybrid',
      limit: 9,
      offset: 0,
      filter: {},
      now: new Date(2026, 5, 30),
      ...given,
      settings: { ...defaultRecallSettings, ...settings },
    })
  await run(ask, recaller)
}

const said = (hits: RecallHit[]) => hits.map(({ text }) => text.split('\n').at(-1)!)
const idOf = (day: number, body: string) =>
  parseEntries(entries([`2026-01-${day} 10:00`, body]))[0]!.id

test("puts entries with the query's name first, whatever their scores", () =>
  asking(
    [
      'use effect and use effects, the use of an effect',
      'clean-up of `useEffect` in a long story',
      'effects',
    ],
    async (ask) => {
      const { hits } = await ask('useEffect')
      expect(said(hits)[0]).toBe('clean-up of `useEffect` in a long story')
      expect(hits.map(({ named }) => named)).toEqual(['typed', 'words', null])
    },
  ))

test('pages follow each other, and the last page has no next offset', () =>
  asking(['a tern 1', 'a tern 2', 'a tern 3', 'owls'], async (ask) => {
    const first = await ask('tern', { limit: 2 })
    expect([said(first.hits), first.nextOffset]).toEqual([['a tern 3', 'a tern 2'], 2])
    const second = await ask('tern', { limit: 2, offset: 2 })
    expect([said(second.hits), second.nextOffset]).toEqual([['a tern 1'], null])
    const exact = await ask('tern', { limit: 3 })
    expect([exact.hits.length, exact.nextOffset]).toEqual([3, null])
    expect((await ask('tern', { offset: 7 })).hits).toEqual([])
  }))

test('returns a next offset for many hits', () =>
  asking(
    Array.from({ length: 53 }, (_, i) => `a tern ${i}`),
    async (ask) => {
      const settings = { candidateMultiplier: 1 }
      expect((await ask('tern', { limit: 52, settings })).nextOffset).toBe(52)
      const last = await ask('tern', { limit: 1, offset: 52, settings })
      expect([said(last.hits), last.nextOffset]).toEqual([['a tern 0'], null])
    },
  ))

test('returns one hit per entry, and one hit for equal entries', () => {
  const long = Array.from({ length: 60 }, (_, i) => `the tern ${i} ${'x'.repeat(50)}`).join('\n')
  return asking(['a tern', 'a tern', 'owls', long], async (ask) => {
    const { hits } = await ask('tern')
    expect(hits.map(({ date }) => date).sort()).toEqual(['2026-01-11', '2026-01-13'])
  })
})

test('puts a correction in the position of its entry, and the corrected entry last', () => {
  const bodies = ['a tern nests', 'terns', `${correctionMark(idOf(10, 'a tern nests'))}\nit flew`]
  return asking(bodies, async (ask) => {
    const { hits } = await ask('tern nests')
    expect(said(hits)).toEqual(['it flew', 'terns', 'a tern nests'])
    expect(hits.map(({ correctedBy }) => correctedBy)).toEqual([null, null, hits[0]!.entryId])
    expect(hits[0]!.score).toBe(hits[2]!.score)
  })
})

test('the last correction of a chain replaces all entries before it, once', () => {
  const second = `${correctionMark(idOf(10, 'a tern'))}\ntwo terns`
  const third = `${correctionMark(idOf(11, second))}\nthree terns`
  return asking(['a tern', second, third, 'the tern of May'], async (ask) => {
    const { hits } = await ask('tern')
    expect(said(hits)).toHaveLength(4)
    expect(new Set(said(hits).slice(0, 2))).toEqual(new Set(['three terns', 'the tern of May']))
    const { entryId } = hits.find(({ text }) => text.endsWith('three terns'))!
    expect(hits.slice(2).map(({ correctedBy }) => correctedBy)).toEqual([entryId, entryId])
  })
})

test('drops a retired entry, even through a chain of corrections', () => {
  const second = `${correctionMark(idOf(10, 'a tern'))}\ntwo terns`
  return asking(['a tern', second, correctionMark(idOf(11, second)), 'a swan'], async (ask) => {
    expect((await ask('tern')).hits).toEqual([])
    // The heading matches, but the entry has no text.
    expect(said((await ask('2026-01-12')).hits).join()).not.toContain('corrects')
  })
})

test('duplicates do not count toward a page', () =>
  asking(['the tern nests', ...Array(6).fill('tern')], async (ask) => {
    const { hits } = await ask('terns here', { limit: 2, settings: { candidateMultiplier: 1 } })
    expect(said(hits)).toEqual(['tern', 'the tern nests'])
  }))

test('puts an old entry with the name first, but not a corrected one', async () => {
  await asking(['`useEffect`', `${correctionMark(idOf(10, '`useEffect`'))}\ngone`], async (ask) => {
    const { hits } = await ask('useEffect')
    expect(hits.map(({ named }) => named)).toEqual(['typed', null])
  })
  await asking(['`useEffect` of old', 'use effect'], async (ask) => {
    const { hits } = await ask('useEffect', { settings: { temporalDecayRate: 2 } })
    expect(said(hits)).toEqual(['`useEffect` of old', 'use effect'])
  })
})

test('weights age relative to now if enabled', () =>
  asking(['tern tern tern tern', 'a tern among many other birds'], async (ask) => {
    expect(said((await ask('tern')).hits)[0]).toBe('tern tern tern tern')
    const aged = await ask('tern', {
      settings: { temporalDecayRate: 2 },
      now: new Date(2026, 0, 11),
    })
    expect(said(aged.hits)[0]).toBe('a tern among many other birds')
    expect(aged.hits[0]!.score).toBe((await ask('tern')).hits[1]!.score)
  }))

test('labels weak hits if the floor keeps them', () =>
  asking(['a tern nests', 'owls', 'a swan in trees'], async (ask) => {
    const query = 'does a tern nest high above many trees'
    const { hits } = await ask(query, { floor: { minCosine: null, keepsWeak: true } })
    expect(hits.map(({ text, isWeak }) => [text.split('\n').at(-1), isWeak])).toEqual([
      ['a tern nests', false],
      ['a swan in trees', true],
    ])
  }))

test('drops hits below the floor', () =>
  asking(['a tern nests', 'owls', 'a swan in trees'], async (ask) => {
    const query = 'does a tern nest high above many trees'
    expect(said((await ask(query)).hits)).toHaveLength(2)
    expect(said((await ask(query, { floor: { minCosine: null } })).hits)).toEqual(['a tern nests'])
  }))

test('each mode uses its own lanes, and a hit shows which lane found it', () =>
  asking(
    ['a tern nests', 'a heron waits'],
    async (ask) => {
      const lanes = async (mode: 'hybrid' | 'full-text' | 'vector') =>
        (await ask('tern', { mode })).hits.map(({ text, textScore, vectorScore }) => [
          text.split(' ').at(-1),
          textScore > 0,
          vectorScore !== 0,
        ])
      expect(await lanes('full-text')).toEqual([['nests', true, false]])
      expect(await lanes('vector')).toEqual([
        ['nests', false, true],
        ['waits', false, true],
      ])
      expect((await ask('tern', { mode: 'vector' })).hits.map(({ named }) => named)).toEqual([
        null,
        null,
      ])
      expect(await lanes('hybrid')).toEqual([
        ['nests', true, true],
        ['waits', false, true],
      ])
    },
    true,
  ))

test('applies the filter to both lanes and to names', () =>
  asking(
    ['`useEffect` #x', '#a\nuse an effect', 'effects'],
    async (ask) => {
      const hits = async (mode: 'hybrid' | 'full-text' | 'vector') =>
        said((await ask('useEffect', { mode, filter: { allTags: ['a'] } })).hits)
      for (const mode of ['hybrid', 'full-text', 'vector'] as const) {
        expect(await hits(mode)).toEqual(['use an effect'])
      }
    },
    true,
  ))

test('puts a similar hit behind a different one if variety is enabled', () =>
  asking(
    ['red tern nest', 'red tern nests high', 'tern of the far blue north'],
    async (ask) => {
      const plain = said((await ask('red tern nest')).hits)
      expect(plain.at(-1)).toBe('tern of the far blue north')
      const settings = { mmrLambda: 0.1 }
      const diverse = said((await ask('red tern nest', { settings })).hits)
      expect(diverse[0]).toBe(plain[0])
      expect(diverse[1]).toBe('tern of the far blue north')
      expect(diverse).toHaveLength(3)
    },
    true,
  ))

test('counts pending embeddings', () =>
  asking(['a tern', 'an owl'], async (ask, recaller) => {
    expect((await ask('tern')).nPending).toBe(0)
    await using vectors = openVectors(recaller.index, {
      embedder: hashEmbedder({ fingerprint: { model: 'other' } }),
      kernels,
      warn() {},
    })
    recaller.vectors = vectors
    expect((await ask('tern')).nPending).toBe(2)
  }))

test('throws if the embedder fails, except in full-text mode', () =>
  asking(
    ['a tern'],
    async (ask, recaller) => {
      recaller.embedQuery = async () => {
        throw new Error('no such host')
      }
      await expect(ask('tern')).rejects.toThrow('no such host')
      expect((await ask('tern', { mode: 'full-text' })).hits).toHaveLength(1)
    },
    true,
  ))
