import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { whyJson, whyLines } from '../../src/cli/explanation.ts'
import { writeFiles } from '../support/repository.ts'
import { openHome, type TempHome } from '../support/run-og.ts'
import { plainWhy } from '../support/why.ts'

let home: TempHome
beforeAll(async () => {
  home = openHome()
  writeFiles(home.path, {
    'docs/kettle.md': '# Kettle\n\nIt boils water.\n',
    'docs/pot.md': '# Pot\n\nIt stews, and boils nothing.\n',
  })
  const source = ['-s', join(home.path, 'docs'), '--base-url', 'doc:']
  await home.run(['add', 'kitchen', '-v', '1', ...source])
})
afterAll(() => home[Symbol.dispose]())

test('a score is told part by part', () => {
  expect(whyLines(plainWhy)).toEqual([
    '+ 0.40 full text: rank 1, BM25 20.0, its page 15.0',
    '+ 0.60 vectors: rank 1, cosine 0.800, its page 0.750',
  ])
  const factors = { wordless: 0.65, changelog: 0.7, repeated: 0.49 }
  const found = { name: 0.25, ...factors, evidence: 0.1, copies: ['u:b'] }
  expect(whyLines({ ...plainWhy, fullText: null, vector: null, ...found })).toEqual([
    '       full text: not found',
    '       vectors: not found',
    '+ 0.25 the page has the name that is asked',
    '× 0.65 it has no word of the name that is asked',
    '× 0.70 a change log, which was not asked for',
    '+ 0.10 other passages of the page',
    '× 0.49 after better passages of its page',
    '       not shown: a near-copy in u:b',
  ])
})

test('programs get the same', () => {
  expect(whyJson(plainWhy)).toMatchObject({
    full_text: { rank: 1, score: 20, page_score: 15, points: 0.4 },
    vector: { rank: 1, cosine: 0.8, page_cosine: 0.75, points: 0.6 },
    copies: [],
  })
  expect(whyJson({ ...plainWhy, vector: null }).vector).toBeNull()
})

test('og query --explain says what was asked and why each hit is there', async () => {
  const { code, stdout } = await home.run(['query', 'kettle water', '-l', 'kitchen', '--explain'])
  expect(code).toBe(0)
  expect(stdout).toContain('\nAsked kitchen 1 (the default version): best BM25 ')
  expect(stdout).toContain('; no embeddings, by its words alone.\n1. doc:/kettle.md, score ')
  expect(stdout).toContain('\n   + 0.35 full text: rank 1, BM25 ')
  const json = await home.run(['query', 'kettle', '-v', '1', '--explain', '--json'])
  const { explain } = JSON.parse(json.stdout)
  expect(explain.asked).toEqual([
    { library: 'kitchen', version: '1', version_by: '"1" was asked for', engine: null,
      best_cosine: null, best_full_text: expect.any(Number) },
  ])
  expect(explain.hits[0]).toMatchObject({ rank: 1, why: { full_text: { rank: 1 }, vector: null } })
  const plain = await home.run(['query', 'kettle', '--json'])
  expect(JSON.parse(plain.stdout).explain).toBeUndefined()
})

test('og explain says why a page is not first', async () => {
  const { code, stdout } = await home.run(['explain', 'kettle boils water', 'doc:/pot.md'])
  expect(code).toBe(0)
  expect(stdout).toStartWith('doc:/pot.md is page 2 of 2 for "kettle boils water" in kitchen 1.\n')
  expect(stdout).toContain('\nFirst is doc:/kettle.md\n  Kettle, lines 1-3: ')
  expect(stdout).toContain('\nThis page\n  Pot, lines 1-3: ')
  expect(stdout).toContain('\n           without: kettl, water\n')
  expect(stdout).toMatch(/\nThe first has more\n  0\.\d\d by full text\n/)
  const json = await home.run(['explain', 'kettle', 'doc:/kettle.md', '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({ place: 1, first: { url: 'doc:/kettle.md' } })
})

test('a page that nothing finds is a no', async () => {
  const { code, stdout } = await home.run(['explain', 'kettle', 'doc:/pot.md'])
  expect(code).toBe(1)
  expect(stdout).toStartWith(
    'doc:/pot.md is not among the 1 page ranked for "kettle" in kitchen 1.\n' +
      'Neither its words nor its meaning are near to the query.\n',
  )
  expect((await home.run(['explain', 'kettle', 'doc:/none.md'])).code).toBe(2)
})
