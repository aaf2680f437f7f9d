import { expect, test } from 'bun:test'
import { dirname } from 'node:path'
import { defaultModel, findModel } from '../../src/embed/models.ts'
import { cachePathsOf, modelFolder } from '../../src/embed/model-files.ts'

const granite = findModel('granite-embedding-small-english-r2')

test('stores each model in its own folder', () => {
  expect(modelFolder(defaultModel)).toBe('BAAI--bge-small-en-v1.5')
})

test('includes the hash in a cache path, and stores a second file next to its graph', () => {
  const files = cachePathsOf(granite, '/cache')
  expect(files.map(({ file }) => file.name)).toEqual([
    'tokenizer.json',
    'model_quantized.onnx',
    'model_quantized.onnx_data',
  ])
  expect(dirname(files[2]!.path)).toBe(dirname(files[1]!.path))
  expect(dirname(files[0]!.path)).toEndWith(granite.tokenizer.sha256.slice(0, 12))
})
