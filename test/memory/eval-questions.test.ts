/** Checks that the questions in test/eval/memory match their README. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { queryTerms, indexTermsOf } from '../../src/chunk/terms.ts'
import { parseEntries } from '../../src/memory/entry.ts'

const folder = join(import.meta.dir, '..', 'eval', 'memory')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

type Question = { question: string; paraphrased: boolean; gold: string[] }
const questions = read('questions.jsonl')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Question)

/** The entry that starts at `file:line`; undefined if there is none. */
function entryAt(place: string) {
  const [file = '', line] = place.split(':')
  return parseEntries(read(file)).find(({ startLine }) => startLine === Number(line))
}

test('every question has an entry that answers it', () => {
  expect(questions.flatMap(({ gold }) => gold).filter((place) => !entryAt(place))).toEqual([])
})

test('a hundred questions share words with their entry, and a hundred do not', () => {
  const shared = questions.map(({ question, gold, paraphrased }) => {
    const held = new Set(gold.flatMap((place) => indexTermsOf(entryAt(place)!.text)))
    return { paraphrased, words: queryTerms(question, 100).filter((term) => held.has(term)) }
  })
  const paraphrased = shared.filter((each) => each.paraphrased)
  expect(paraphrased.flatMap(({ words }) => words)).toEqual([])
  expect(paraphrased.length).toBe(100)
  expect(shared.filter(({ words }) => words.length > 0).length).toBe(100)
})
