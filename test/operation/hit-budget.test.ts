import { expect, test } from 'bun:test'
import type { Hit } from '../../src/library/library.ts'
import { selectHits } from '../../src/operation/search.ts'

/** Expects the hits with these texts in rank order; three bytes count as a token. */
function check(texts: string[], maxTokens: number, expected: string[]) {
  const hits = texts.map((text, i) => ({ rank: i + 1, text }) as Hit)
  const fitting = selectHits(hits, ({ text }) => `--${text}-`, { maxTokens, frame: 2 })
  expect(fitting.map(({ text }) => text)).toEqual(expected)
  expect(fitting.map(({ rank }) => rank)).toEqual(expected.map((_, i) => i + 1))
}

const [short, long] = ['123', '1'.repeat(300)]

test('keeps the best hits that fit and skips longer ones', () => {
  check([short, short, short], 10, [short, short, short])
  check([short, short, short], 7, [short, short])
  check([short, long, short], 10, [short, short])
  check([], 10, [])
})

test('truncates the best hit if it is too long', () => {
  check(['one\ntwo\nthree', short], 6, ['one\ntwo\n'])
  check(['# A heading\n\nand its words', short], 9, ['# A heading\n\nand'])
  check([long], 5, ['[…]'])
  check(['## Use middleware'], 3, ['[…]'])
})

test('closes a code fence that is cut off', () => {
  const code = `Text\n\n\`\`\`py\n${'line\n'.repeat(40)}\`\`\`\n`
  const [hit] = selectHits([{ rank: 1, text: code } as Hit], ({ text }) => text, {
    maxTokens: 20,
    frame: 0,
  })
  expect(hit!.text).toBe(`Text\n\n\`\`\`py\n${'line\n'.repeat(7)}\`\`\``)
  expect(Buffer.byteLength(hit!.text)).toBeLessThanOrEqual(60)
})
