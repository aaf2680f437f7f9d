import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTokenizer } from '../../src/embed/tokenizer.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { golden, modelFiles } from '../support/native/golden.ts'

const tokenizer = openTokenizer(modelFiles.tokenizer)

test('returns the reference token ids and counts them', () => {
  for (const { input, firstIds, nTokens } of golden) {
    const ids = tokenizer.encode(input, 512)
    expect({ input, ids: ids.slice(0, 16), nTokens: ids.length }).toEqual({
      input,
      ids: firstIds,
      nTokens,
    })
  }
})

test('keeps the final [SEP] of a long text', () => {
  const text = golden.find(({ nTokens }) => nTokens === 512)!.input
  const [whole, cut] = [tokenizer.encode(text, 1e9), tokenizer.encode(text, 512)]
  expect(whole.length).toBeGreaterThan(512)
  expect(cut).toEqual([...whole.slice(0, 511), whole.at(-1)!])
  expect([cut[0], cut.at(-1)]).toEqual([101, 102])
})

test('counts tokens without the special ones', () => {
  for (const text of ['', 'x', ' ', 'two words', '[SEP]', '使用', 'a\u0000b', '\ud800']) {
    expect(tokenizer.count(text)).toBe(tokenizer.encode(text, 1e9).length - 2)
  }
  expect(tokenizer.count('')).toBe(0)
})

test('reports the path of an unreadable tokenizer', async () => {
  await using temp = await createTempFolder('og tokenizer')
  const path = join(temp.path, 'tokenizer.json')
  expect(() => openTokenizer(path)).toThrow(`Cannot read tokenizer ${path}`)
  for (const content of ['{"version": ', '[]', '{}', 'null']) {
    writeFileSync(path, content)
    expect(() => openTokenizer(path)).toThrow(`Cannot read tokenizer ${path}`)
  }
})
