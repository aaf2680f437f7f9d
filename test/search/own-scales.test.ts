import { expect, test } from 'bun:test'
import type { Collection } from '../../src/search/collection.ts'
import { defaultCalibration } from '../../src/search/confidence.ts'
import { coverageShares, cosineShares } from '../../src/search/lanes.ts'
import { weights } from '../../src/search/weights.ts'
import type { Generation } from '../../src/store/registry.ts'

/** A library whose pages contain these terms. */
function library(pages: Record<string, string>, generation: Partial<Generation> = {}) {
  const has = (url: string, term: string) => pages[url]!.split(' ').includes(term)
  const urls = Object.keys(pages)
  const index = {
    rarity(term: string) {
      const held = urls.filter((url) => has(url, term)).length
      return Math.log(1 + (urls.length - held + 0.5) / (held + 0.5))
    },
    knows: (term: string) => urls.some((url) => has(url, term)),
    fullText:
      ([term]: string[]) =>
      (url: string) =>
        has(url, term!) ? 1 : 0,
  }
  const asked = { open: { generation, pageIndex: async () => index } }
  return { asked: asked as unknown as Collection, found: urls.map((url) => ({ url })) }
}

const shares = (libraries: ReturnType<typeof library>[], terms: string[]) =>
  coverageShares(
    libraries.map(({ asked }) => asked),
    terms,
    libraries.map(({ found }) => found),
  )

test('ranks the library with the rare term first at any library size', async () => {
  const filler = Array.from({ length: 50 }, (_, i) => [`page${i}`, 'set options'] as const)
  const large = library(Object.fromEntries(filler))
  const small = library({ one: 'createqueue options' })
  const [ofLarge, ofSmall] = await shares([large, small], ['createqueue', 'options'])
  expect(ofSmall).toBe(1)
  expect(ofLarge).toBeLessThan(0.5)
})

test('prefers a library that has all terms on one page', async () => {
  const apart = library({ one: 'lamp', two: 'wick', three: 'oil' })
  const together = library({ one: 'lamp wick', two: 'oil', three: 'oil' })
  const [ofApart, ofTogether] = await shares([apart, together], ['lamp', 'wick'])
  expect(ofTogether).toBe(1)
  expect(ofApart).toBeLessThan(0.7)
})

test('gives full weight to a single library, to unknown pages, and to all libraries if none has the term', async () => {
  const one = library({ one: 'lamp' })
  expect(await shares([one], ['wick'])).toEqual([1])
  expect(await shares([one, one], ['wick'])).toEqual([1, 1])
  const open = { ...one.asked.open, pageIndex: async () => null }
  const unknown = { ...one, asked: { ...one.asked, open } }
  expect(await shares([unknown, one], ['lamp'])).toEqual([1, 1])
})

test('compares the best cosines by the calibration of each library', () => {
  const near = { own: 0.9, foreign: 0.8 }
  const far = { own: 0.7, foreign: 0.6 }
  const of = (...all: ({ own: number; foreign: number } | undefined)[]) =>
    all.map((calibration) => library({}, calibration && { calibration }).asked)
  // For the first library a cosine of 0.82 is far; for the second, 0.72 is very near.
  const [ofNear, ofFar] = cosineShares(of(near, far), [0.82, 0.72])
  expect(ofFar).toBe(1)
  expect(ofNear).toBeCloseTo(1 / 9, 6)
  expect(cosineShares(of(undefined, undefined), [0.8, 0.725])).toEqual([1, expect.closeTo(0.25, 6)])
  expect(cosineShares(of(near), [0.5])).toEqual([1])
  expect(cosineShares(of(near, far), [null, 0.7])).toEqual([0, 1])
})

test('prefers a small uncalibrated library to a large one at the same cosine', () => {
  const model = 'BAAI/bge-small-en-v1.5'
  const fingerprint = { model } as NonNullable<Generation['fingerprint']>
  const usual = defaultCalibration(model, 2000)!
  const large = library({}, { fingerprint, chunks: 2000, calibration: usual }).asked
  const small = library({}, { fingerprint, chunks: 10 }).asked
  const [ofLarge, ofSmall] = cosineShares([large, small], [0.75, 0.75])
  expect(ofSmall).toBe(1)
  const difference = usual.foreign - defaultCalibration(model, 10)!.foreign
  expect(ofLarge).toBeCloseTo((1 - difference / weights.span) ** 2, 6)
})
