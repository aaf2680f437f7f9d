import { expect, test } from 'bun:test'
import { cutPagePart } from '../../src/operation/page-part.ts'
import { estimateTokens } from '../../src/platform/tokens.ts'

const text = 'one\ntwo\nthree\nfour\n'
const wish = { startLine: 1, endLine: null, maxTokens: 1_000, cursor: null }

function check(asked: Partial<Parameters<typeof cutPagePart>[1]>, expected: object): void {
  expect(cutPagePart(text, { ...wish, ...asked })).toMatchObject(expected)
}

test('line numbers are 1-based and inclusive', () => {
  check({}, { content: text, startLine: 1, endLine: 4, totalLines: 4, cursor: null })
  check({ startLine: 2, endLine: 3 }, { content: 'two\nthree\n', startLine: 2, endLine: 3 })
  check({ startLine: 3 }, { content: 'three\nfour\n', startLine: 3, endLine: 4 })
  check({ endLine: 99 }, { content: text, endLine: 4 })
  expect(cutPagePart('', wish)).toMatchObject({
    content: '',
    startLine: 1,
    endLine: 1,
    totalLines: 1,
  })
})

test('rejects lines that do not exist', () => {
  expect(() => check({ startLine: 5 }, {})).toThrow('No lines 5: the page has 4')
  expect(() => check({ startLine: 3, endLine: 2 }, {})).toThrow('No lines 3-2')
})

test('splits any text into parts without gaps', () => {
  const texts = [text, 'x'.repeat(500), 'ü'.repeat(99), '😀'.repeat(40), `a\n${'b'.repeat(70)}\nc`]
  for (const whole of texts) {
    let cursor: string | null = null
    let read = ''
    do {
      const part: ReturnType<typeof cutPagePart> = cutPagePart(whole, {
        ...wish,
        maxTokens: 4,
        cursor,
      })
      expect(estimateTokens(part.content)).toBeLessThanOrEqual(4)
      expect(part.content).not.toBe('')
      read += part.content
      cursor = part.cursor
    } while (cursor !== null)
    expect(read).toBe(whole)
  }
})

test('rejects the cursor of a different text', () => {
  const { cursor } = cutPagePart(text, { ...wish, maxTokens: 2 })
  expect(() => cutPagePart(`${text}more`, { ...wish, cursor })).toThrow(
    'older version of this page',
  )
  expect(() => check({ cursor: '4' }, {})).toThrow('Invalid cursor')
})
