import { expect, test } from 'bun:test'
import { defaultModel, fingerprintOf, modelNamed } from '../../src/embed/models.ts'

test('a model is found by its name', () => {
  expect(modelNamed('BAAI/bge-small-en-v1.5')).toBe(defaultModel)
  expect(modelNamed(' baai/BGE-small-en-v1.5 ')).toBe(defaultModel)
})

test('an unknown model is an error that says what there is', () => {
  expect(() => modelNamed('all-MiniLM-L6-v2')).toThrow(
    'Cannot use embedding model "all-MiniLM-L6-v2": only BAAI/bge-small-en-v1.5 is built in',
  )
})

test('the fingerprint holds what makes embeddings comparable', () => {
  expect(fingerprintOf(defaultModel)).toEqual({
    model: 'BAAI/bge-small-en-v1.5',
    dimensions: 384,
    pooling: 'cls',
    queryPrefix: 'Represent this sentence for searching relevant passages: ',
  })
})
