import { expect, test } from 'bun:test'
import { withoutRepeats, isNearCopy, plainWords } from '../../../src/search/excerpt/near-copy.ts'

function check(a: string, b: string, expected: boolean) {
  expect(isNearCopy(a, b)).toBe(expected)
  expect(isNearCopy(b, a)).toBe(expected)
}

const words = 'the quick fox jumps over a lazy dog while it reads some pages of a manual'.split(' ')
const text = Array(8).fill(words.join(' ')).join('\n') + ' the limit is 5 for option_a'

test('treats texts that differ only in punctuation as copies', () => {
  check(text, text, true)
  check(text, `# ${text.replaceAll('\n', '\n\n> ')}\n`, true)
  check('see [it](https://a.example/1.0/x) now', 'see [it](https://a.example/2.0/x) now', true)
  check('## Wick {#wick}\n\nTrim it.', '## Wick\n\nTrim it.', true)
  check('', '', true)
})

test('ignores an unimportant word in a long text', () => {
  check(text, `${text} indeed`, true)
  check(text, text.replace('quick', 'quikc'), true)
})

test('distinguishes texts by a number, a name or a negation', () => {
  check(text, text.replace('limit is 5', 'limit is 10'), false)
  check(text, text.replace('option_a', 'option_b'), false)
  check(text, text.replace('the limit is', 'the limit is not'), false)
  check('never do this', 'always do this', false)
})

test('distinguishes texts by different words, another order, or much additional text', () => {
  check(text, text.split(/\s+/).toReversed().join(' '), false)
  check(text, text.replaceAll('fox', 'cat'), false)
  check(text, `${text} ${text}`, false)
  check('', 'a', false)
})

test('extracts the words of a text', () => {
  expect(plainWords('Use `$lookup`, not [x_y](a/b.md)!')).toEqual(['use', '$lookup', 'not', 'x_y'])
  expect(plainWords('…')).toEqual([])
})

test('drops a passage that is part of the passages above it', () => {
  const words = (from: number) => Array.from({ length: 30 }, (_, i) => `word${from + i}`).join(' ')
  const passages = [words(0), words(30), words(0).slice(0, 150), 'word0 word1', words(100)]
  const kept = withoutRepeats(passages.map((text) => ({ text }))).map(({ text }) => text)
  expect(kept).toEqual(passages.toSpliced(2, 1))
})

test('keeps a repeated passage whose name stands nowhere above it', () => {
  const words = Array.from({ length: 30 }, (_, i) => `word${i}`).join(' ')
  const named = (name: string) => ({ name, text: `${name} ${words}` })
  const passages = [named('send'), named('receive'), { name: 'receive', text: words }]
  expect(withoutRepeats(passages)).toEqual(passages.slice(0, 2))
})
