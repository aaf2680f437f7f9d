import { expect, test } from 'bun:test'
import { indexTermsOf } from '../../src/chunk/terms.ts'
import {
  candidateLibraries,
  mostLibraries,
  type CardedLibrary,
} from '../../src/search/candidate-libraries.ts'
import { cardOf } from '../../src/store/library-cards.ts'
import { openPostingsBuilder } from '../../src/store/postings.ts'

/** A library with one page per text. The embeddings of all its pages point along `axis`. */
function library(texts: string[], { axis = 0, isMeant = false } = {}): CardedLibrary {
  const postings = openPostingsBuilder(texts.length)
  texts.forEach((text, page) => postings.add(page, indexTermsOf(text).join(' ')))
  const { hashes, starts } = postings.finished(Uint16Array)
  const counts = hashes.map((_, i) => starts[i + 1]! - starts[i]!)
  const vectors = new Float32Array(texts.length * 2)
  texts.forEach((_, page) => (vectors[2 * page + axis] = 1))
  const card = cardOf({ hashes, counts, pages: texts.length, vectors, dimensions: 2 })
  return { card, isMeant, embedding: Float32Array.of(1, 0) }
}

const others = (count: number, axis = 1) =>
  Array.from({ length: count }, () => library(['create a server', 'set its options'], { axis }))

test('prefers libraries with the rarest terms of the query', () => {
  const all = [...others(40), library(['create a queue', 'options'], { axis: 1 })]
  expect(candidateLibraries(all, 'create a queue')).toContain(40)
})

test('prefers a library with a term on many pages to one with the term on a single page', () => {
  const filler = Array.from({ length: 30 }, (_, i) => `page ${i}`)
  const mention = () => library(['one queue', ...filler], { axis: 1 })
  const about = library(
    Array.from({ length: 30 }, () => 'a queue'),
    { axis: 1 },
  )
  const all = [...Array.from({ length: 40 }, mention), about]
  expect(candidateLibraries(all, 'queue')).toContain(40)
})

test('includes the nearest library by embeddings', () => {
  const all = [...others(40), library(['unrelated words'], { axis: 0 })]
  expect(candidateLibraries(all, 'create a server')).toContain(40)
})

test('includes libraries without a card, and libraries that the query names', () => {
  const all = [
    ...others(40),
    { card: null, isMeant: false, embedding: null },
    library(['unrelated'], { axis: 1, isMeant: true }),
  ]
  const chosen = candidateLibraries(all, 'create a server')
  expect(chosen).toContain(40)
  expect(chosen).toContain(41)
  expect(chosen).toHaveLength(mostLibraries)
})

test('uses full text alone if there are no embeddings', () => {
  const plain = others(40).map((one) => ({ ...one, embedding: null }))
  const all = [...plain, { ...library(['a queue']), embedding: null }]
  expect(candidateLibraries(all, 'queue')).toEqual([40])
})
