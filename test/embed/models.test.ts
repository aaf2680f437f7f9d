import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openBuiltinEmbedder } from '../../src/embed/builtin.ts'
import {
  defaultModel,
  fingerprintOf,
  findModel,
  modelOf,
  type Model,
} from '../../src/embed/models.ts'
import { modelFolder } from '../../src/embed/model-files.ts'
import { openTokenizer } from '../../src/embed/tokenizer.ts'
import { builtinOptions, cosine } from '../support/native/golden.ts'
import { testWhere } from '../support/where.ts'

const others = [
  'BAAI/bge-base-en-v1.5',
  'Snowflake/snowflake-arctic-embed-s',
  'Snowflake/snowflake-arctic-embed-xs',
  'sentence-transformers/all-MiniLM-L6-v2',
  'ibm-granite/granite-embedding-small-english-r2',
]

test('finds a model by its name', () => {
  expect(findModel('BAAI/bge-small-en-v1.5')).toBe(defaultModel)
  expect(findModel(' baai/BGE-small-en-v1.5 ')).toBe(defaultModel)
})

test('finds a model without the owner in its name', () => {
  expect(findModel('all-minilm-l6-v2').id).toBe('sentence-transformers/all-MiniLM-L6-v2')
  expect(findModel('bge-small-en-v1.5')).toBe(defaultModel)
})

test('lists the known models if the name is unknown', () => {
  expect(() => findModel('L6-v2')).toThrow(
    `Cannot use embedding model "L6-v2": the built-in models are ${[defaultModel.id, ...others].join(', ')}`,
  )
})

test('finds a model by its fingerprint, and compares every property', () => {
  for (const id of others) expect(modelOf(fingerprintOf(findModel(id)))?.id).toBe(id)
  expect(modelOf({ ...fingerprintOf(defaultModel), pooling: 'mean' })).toBeUndefined()
})

test('pins every file to a commit, a hash and a size', () => {
  for (const model of [defaultModel, ...others.map(findModel)]) {
    const { tokenizer, weights, tensors } = model
    for (const file of [tokenizer, weights, ...(tensors === null ? [] : [tensors])]) {
      expect(file.revision).toMatch(/^[0-9a-f]{40}$/)
      expect(file.sha256).toMatch(/^[0-9a-f]{64}$/)
      expect(file.sizeBytes).toBeGreaterThan(100_000)
      expect(file.path).toEndWith(file.name)
    }
  }
})

/**
 * `bun scripts/model/model.ts MODEL` downloads the files of a model to this folder; `npm test`
 * copies the files of the bundled model.
 */
const folderOf = (model: Model) => resolve(import.meta.dir, '../../build/model', modelFolder(model))

for (const model of others.map(findModel)) {
  const modelPath = join(folderOf(model), model.weights.name)
  const lack = existsSync(modelPath) ? null : 'its files are not on this machine'
  testWhere(lack)(`${model.id} embeds`, () => checkLoading(model, modelPath))
}

async function checkLoading(model: Model, modelPath: string): Promise<void> {
  const tokenizerPath = join(folderOf(model), model.tokenizer.name)
  const ids = openTokenizer(tokenizerPath).encode('word '.repeat(3000), model.maxTokens)
  expect(ids.length).toBe(model.maxTokens)
  const fingerprint = fingerprintOf(model)
  await using embedder = openBuiltinEmbedder({
    ...(await builtinOptions(modelPath)),
    tokenizerPath,
    fingerprint,
    maxTokens: model.maxTokens,
  })
  const query = await embedder.embedQuery('How do I declare an optional query parameter?')
  const block = await embedder.embed([
    'A query parameter with a default of None is optional.',
    'Beat two eggs and stir them into the flour.',
    'word '.repeat(3000),
  ])
  const row = (i: number) => block.subarray(i * model.dimensions, (i + 1) * model.dimensions)
  expect(block.length).toBe(3 * model.dimensions)
  expect(cosine(row(2), row(2))).toBeCloseTo(1, 5)
  expect(cosine(query, row(0))).toBeGreaterThan(cosine(query, row(1)) + 0.1)
}

test('includes every setting that changes embeddings in the fingerprint', () => {
  expect(fingerprintOf(defaultModel)).toEqual({
    model: 'BAAI/bge-small-en-v1.5',
    dimensions: 384,
    pooling: 'cls',
    queryPrefix: 'Represent this sentence for searching relevant passages: ',
  })
})
