import { describe, expect, test } from 'bun:test'
import { isGoodMatch, type Evidence } from '../../src/search/confidence.ts'

const large = { chunks: 5000, calibration: { own: 0.8, foreign: 0.68 }, texts: ['nothing of it'] }

function check(asked: Partial<Evidence> & { query: string }, expected: boolean) {
  expect(isGoodMatch({ cosine: null, ...large, ...asked })).toBe(expected)
}

describe('by embeddings', () => {
  test('near is good, far is not', () => {
    check({ query: 'scale a deployment down', cosine: 0.76 }, true)
    check({ query: 'scale a deployment down', cosine: 0.7 }, false)
    check({ query: 'scale a deployment down', cosine: 0.5 }, false)
  })

  test('what holds the words of the query may be farther away', () => {
    const texts = ['# Scaling\n\nHow a deployment is scaled down to zero.']
    check({ query: 'scale a deployment down', cosine: 0.68, texts }, true)
    check({ query: 'scale a deployment down', cosine: 0.5, texts }, false)
    check({ query: 'scale a kitchen table down', cosine: 0.68, texts }, false)
  })

  test('a name that stands there is found, a word that stands there may be by chance', () => {
    check({ query: 'parseDocument', cosine: 0.58, texts: ['call `parseDocument()`'] }, true)
    check({ query: 'parseDocument', cosine: 0.58, texts: ['parse a page'] }, false)
    check({ query: 'limit', cosine: 0.58, texts: ['the limit of it'] }, false)
  })

  test('a small library is asked for less', () => {
    const asked = { query: 'scale a deployment down', cosine: 0.73 }
    check({ ...asked, chunks: 5000 }, false)
    check({ ...asked, chunks: 20 }, true)
  })

  test('in doubt it is good: not measured, or measured in vain', () => {
    const query = 'scale a deployment down'
    check({ query, cosine: 0.3, calibration: null }, true)
    check({ query, cosine: 0.3, calibration: { own: 0.6, foreign: 0.7 } }, true)
  })
})

describe('by words alone', () => {
  const texts = ['A deployment has replicas.']
  test('a third of the words stand in one text', () => {
    check({ query: 'deployment replicas', texts }, true)
    check({ query: 'deployment of two kitchen tables', texts }, false)
  })
  test('not in a library of a few chunks', () => {
    check({ query: 'deployment of two kitchen tables', texts, chunks: 12 }, true)
  })
})

test('nothing is no match', () => {
  check({ query: 'anything', cosine: 0.9, texts: [] }, false)
  check({ query: 'anything', texts: [], chunks: 3 }, false)
})
