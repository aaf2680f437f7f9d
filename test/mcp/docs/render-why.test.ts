import { expect, test } from 'bun:test'
import { explainScore } from '../../../src/mcp/docs/render-why.ts'
import { plainWhy } from '../../support/why.ts'

test('explains a score line by line', () => {
  expect(explainScore(plainWhy)).toEqual([
    '+ 0.40 full text: rank 1, BM25 20.0, its page 15.0',
    '+ 0.60 vectors: rank 1, cosine 0.800, its page 0.750',
  ])
  const factors = { changelog: 0.7, example: 0.85, repeated: 0.49, library: 1.25 }
  const found = { ...factors, evidence: 0.1, copies: ['u:b'] }
  expect(explainScore({ ...plainWhy, fullText: null, vector: null, ...found })).toEqual([
    '       full text: not found',
    '       vectors: not found',
    '× 0.70 a change log, which was not asked for',
    '× 0.85 without code, and the query asks for an example',
    '+ 0.10 other passages of the page',
    '× 0.49 after better passages of its page',
    "× 1.25 the library is named, or the project's",
    '       not shown: a near-copy in u:b',
  ])
})
