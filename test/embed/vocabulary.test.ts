import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Tokenizer } from '@huggingface/tokenizers'
import fc from 'fast-check'
import { openTokenizer } from '../../src/embed/tokenizer.ts'
import { openLazyTokenizer } from '../../src/embed/tokenizer.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { modelFiles } from '../support/native/golden.ts'

const json = JSON.parse(readFileSync(modelFiles.tokenizer, 'utf8'))
const whole = new Tokenizer(json, {})

/** Opens a new vocabulary each time, because earlier look-ups change how the next one works. */
function check(text: string): void {
  const ids = openTokenizer(modelFiles.tokenizer).encode(text, 1e9)
  expect({ text, ids }).toEqual({ text, ids: whole.encode(text).ids })
}

test('returns every token of the vocabulary', () => {
  for (const text of [
    '',
    'how do I run work after the response is sent',
    'HTTPException xqzzy-42 __init__',
    'a "quoted" \\ text',
    'naïve Übung 使用 \ud800',
    'x'.repeat(150),
    'C++ $lookup {a: [1]} ~/',
    '[SEP] [UNK] [unused0] ##ing',
    'a "b": 1',
    'constructor __proto__ toString',
  ])
    check(text)
})

test('tokenizes any text', () => {
  const word = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.stringMatching(/^\w{1,30}$/))
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (words) => check(words.join(' '))),
    { numRuns: 15 },
  )
})

test('encodes and counts words in any context as the whole text', () => {
  const { encode, count } = openTokenizer(modelFiles.tokenizer)
  const part = fc.constantFrom(
    ...[' ', '\t', '\n', '.', ':', '_', '-', '=', "'", 'a', 'B', 'word', 'ing', 'xqzzy', '1'],
    ...['Σ', 'Α', 'ς', 'é', 'e\u0301', '\u0338', 'İ', 'ß', 'ﬁ', 'が', '\u3099', '使', 'ก', '’'],
    ...['\ud800', '\udc00', '😀', '\u200d', '\ufffd', '\ufeff', '\u00a0', '\u2003', '\u0085'],
    ...['\u0000', '\u000b', '\u007f', '[SEP]', '[MASK', 'Z'.repeat(61), 'q'.repeat(101)],
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join('')
      const { ids } = whole.encode(text)
      expect({ ids: encode(text, 1e9), n: count(text) }).toEqual({ ids, n: ids.length - 2 })
    }),
    { numRuns: 2_000 },
  )
})

test('parses the whole vocabulary after many look-ups', () => {
  const words = Object.keys(json.model.vocab).filter((_, i) => i % 40 === 0)
  check(words.join(' '))
})

test('parses a file with another layout completely', async () => {
  await using temp = await createTempFolder('og-vocabulary')
  const path = join(temp.path, 'tokenizer.json')
  const written = (spelled: string, isSparse: boolean) => {
    writeFileSync(path, spelled)
    expect(openLazyTokenizer(readFileSync(path)) !== null).toBe(isSparse)
    const text = 'how do I "run": work'
    expect(openTokenizer(path).encode(text, 1e9)).toEqual(whole.encode(text).ids)
  }
  written(JSON.stringify(json), true)
  const { vocab, ...model } = json.model
  written(JSON.stringify({ ...json, model: { vocab, ...model } }), false)
  const { model: _, ...others } = json
  written(JSON.stringify({ model: json.model, ...others }), false)
  expect(openLazyTokenizer(Buffer.from('{"model": {"vocab": {"a": 1'))).toBe(null)
  const unigram = { added_tokens: [], model: { type: 'Unigram', vocab: { a: 1 } } }
  expect(openLazyTokenizer(Buffer.from(JSON.stringify(unigram)))).toBe(null)
})

test('does not mistake the end of another token for a token', () => {
  const file = { added_tokens: [], model: { type: 'WordPiece', vocab: { 'a"b': 1, b: 2, c: 3 } } }
  const { vocabulary } = openLazyTokenizer(Buffer.from(JSON.stringify(file)))!
  expect(['c', 'b', 'a"b', 'd'].map((it) => vocabulary.get(it))).toEqual([3, 2, 1, undefined])
})
