import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  evaluateLibrary,
  parseQuestions,
  type EvaluateRequest,
} from '../../../src/library/quality/evaluate.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { writeFiles } from '../../support/repository.ts'
import { openTestStore } from '../../support/test-store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-evaluate'))
const docs = join(temp.path, 'docs')

const store = disposeAfterAll(openTestStore(join(temp.path, 'store')))
writeFiles(docs, {
  'guide/boiler.md': '# Boiler\n\nThe boiler is lit. Coal.\n',
  'guide/lamp.md': '# Lamp\n\nThe lamp has a wick. Oil.\n',
  'ref/index.md': '# Parts\n\nBoiler, lamp, gear.\n',
})
await store.add('demo', docs)

const wick = { id: '1', question: 'wick of a lamp', gold: ['guide/lamp.md'] }

async function measure(request: Partial<EvaluateRequest> = {}) {
  const wanted = { library: 'demo', version: null, questions: [wick], ...request }
  return await evaluateLibrary(store.opened, store.entries, wanted)
}

test('measures three arms and one arm for each omitted part', async () => {
  const found = await measure({ without: ['evidence', 'copies'] })
  const names = ['hybrid', 'full-text', 'vector', 'without evidence', 'without copies']
  expect(Object.keys(found.arms)).toEqual(names)
  expect(found).toMatchObject({ library: 'demo', version: '1', questions: 1, unknownGold: [] })
  expect(found.arms.hybrid).toMatchObject({
    ndcg10: 1,
    ndcg10Interval: [1, 1],
    mrr10: 1,
    hit1: 1,
    hit5: 1,
    hit5Served: 1,
    recall10: 1,
    recallInBudget: 1,
  })
})

test('accepts an address, a path or the end of a path as the correct page', async () => {
  async function check(gold: string, isKnown: boolean) {
    const other = { ...wick, gold: [gold] }
    const { unknownGold, arms } = await measure({ questions: [wick, other] })
    expect([gold, unknownGold, arms.hybrid!.hit1]).toEqual([
      gold,
      isKnown ? [] : [gold],
      isKnown ? 1 : 0.5,
    ])
  }
  await check('guide/lamp.md', true)
  await check('doc:/guide/lamp.md', true)
  await check('lamp.md', true)
  await check('docs/source/guide/lamp.md', true)
  await check('guide/lantern.md', false)
  await expect(measure({ questions: [{ ...wick, gold: ['x.md'] }] })).rejects.toThrow(
    'Cannot evaluate "demo": it has none of the gold pages',
  )
})

test('reports an arm that does not change any answer', async () => {
  const { changed, alarms } = await measure({ questions: [{ ...wick, question: 'wick' }] })
  expect(changed['full-text']).toBe(1)
  expect(alarms.some((alarm) => alarm.startsWith('full-text'))).toBe(false)
  const { alarms: still } = await measure({ without: ['copies'] })
  expect(still).toContain(
    'without copies gives the first five pages of hybrid for every question: it changes nothing',
  )
})

test('measures recall only for hits within the token budget', async () => {
  const both = { ...wick, question: 'lamp boiler', gold: ['guide/lamp.md', 'guide/boiler.md'] }
  const share = async (maxTokens: number) =>
    (await measure({ questions: [both], maxTokens })).arms.hybrid!.recallInBudget
  expect(await share(1000)).toBe(1)
  expect(await share(1)).toBeLessThan(1)
})

describe('the file of questions', () => {
  const line = '{"id": "7", "question": "a b", "gold": ["x"], "anchor": "y"}'
  test('reads one question per line, and ignores other fields and empty lines', () => {
    const gold = ['x']
    expect(parseQuestions(`${line}\n\n{"question": "c", "gold": ["x"]}\n`, 'f')).toEqual([
      { id: '7', question: 'a b', gold },
      { id: '3', question: 'c', gold },
    ])
  })
  test('reports the line that does not contain a question', () => {
    const check = (text: string, message: string) =>
      expect(() => parseQuestions(text, 'f.jsonl')).toThrow(message)
    check(`${line}\nno json`, 'Cannot read f.jsonl, line 2: it is not a question')
    check('{"question": "", "gold": ["x"]}', 'line 1')
    check('{"question": "a", "gold": []}', 'line 1')
    check('{"question": "a", "gold": [1]}', 'line 1')
    check('[]', 'line 1')
    check('null', 'line 1')
    check('\n', 'Cannot evaluate: f.jsonl contains no question')
  })
})
