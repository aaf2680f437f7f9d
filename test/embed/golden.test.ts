import { expect, test } from 'bun:test'
import { goldenText } from '../../src/embed/golden-reference.ts'
import { checkTokenizer, cosineWithGolden, minInt8Cosine } from '../../src/embed/golden.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { golden, modelFiles } from '../support/native/golden.ts'

const reference = golden.find(({ text }) => text === goldenText)!

/** Returns the cosine for an embedder that always returns this embedding. */
function cosineOf(embedding: Float32Array): Promise<number> {
  return cosineWithGolden({ embed: async () => embedding, arithmetic: 'onnx-int8' })
}

test('accepts the reference embedding, and rejects other weights and lengths', async () => {
  expect(await cosineOf(reference.int8)).toBeGreaterThan(0.9998)
  expect(await cosineOf(reference.int8.map((x) => 3 * x))).toBeGreaterThan(0.9998)
  expect(await cosineOf(reference.fp32)).toBeLessThan(minInt8Cosine)
  expect(await cosineOf(reference.int8.subarray(1))).toBe(0)
  expect(await cosineOf(new Float32Array(384))).not.toBeGreaterThanOrEqual(minInt8Cosine)
})

test("accepts the model's tokenizer", () => {
  expect(checkTokenizer(modelFiles.tokenizer)).toMatchObject({
    ok: true,
    detail: expect.stringContaining(`its ${reference.nTokens} tokens`),
  })
})

test('rejects a tokenizer with another vocabulary', async () => {
  await using temp = await createTempFolder('og-golden')
  const path = `${temp.path}/tokenizer.json`
  const tokenizer = await Bun.file(modelFiles.tokenizer).json()
  const { vocab } = tokenizer.model
  ;[vocab.modern, vocab.web] = [vocab.web, vocab.modern]
  await Bun.write(path, JSON.stringify(tokenizer))
  expect(checkTokenizer(path)).toMatchObject({
    ok: false,
    detail: expect.stringContaining('other tokens'),
  })
})
