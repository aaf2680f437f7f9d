import { expect, test } from 'bun:test'
import { splitIntoBlocks } from '../../src/chunk/block.ts'
import type { ChunkBudget } from '../../src/chunk/budget.ts'
import { indexLines } from '../../src/chunk/line.ts'
import { fillChunks } from '../../src/chunk/fill.ts'
import { countWords } from '../support/count-words.ts'

type PackOptions = Partial<ChunkBudget> & { reserve?: number; prefix?: string }

/** Packs the blocks of the text into ranges and checks that they cover it. */
function packed(text: string, { reserve = 0, prefix = '', ...more }: PackOptions): string[] {
  const lines = indexLines(text)
  const budget = {
    text,
    title: '',
    path: 'lamp.md',
    chunkChars: 30,
    wholeChars: 40,
    maxTokens: 512,
    countTokens: countWords,
    ...more,
  }
  const setting = { budget, lines, place: { path: [], prefix } }
  const blocks = splitIntoBlocks(lines, { from: 0, to: lines.count })
  const ranges = fillChunks(setting, blocks, reserve).map(({ start, end }) =>
    text.slice(start, end),
  )
  expect(ranges.join('')).toBe(text)
  return ranges.map((range) => range.trim())
}

function check(
  name: string,
  text: string,
  { expected, ...options }: PackOptions & { expected: string[] },
) {
  test(name, () => expect(packed(text, options)).toEqual(expected))
}

const para = 'Ten chars.'

check('fills ranges from the last one backwards', [para, para, para].join('\n\n'), {
  chunkChars: 25,
  wholeChars: 25,
  expected: [para, `${para}\n\n${para}`],
})
check('leaves a share of each range free for an overlap', [para, para].join('\n\n'), {
  reserve: 0.2,
  expected: [`${para}\n\n${para}`],
})
check('puts a block into its own range if the overlap leaves no room', [para, para].join('\n\n'), {
  chunkChars: 25,
  wholeChars: 25,
  reserve: 0.2,
  expected: [para, para],
})
check('limits tokens too, including the tokens of the prefix', 'one two\n\nsix ten', {
  maxTokens: 6,
  countTokens: countWords,
  expected: ['one two\n\nsix ten'],
})
check('divides blocks if the prefix has one more token', 'one two\n\nsix ten', {
  maxTokens: 6,
  prefix: 'top\n',
  expected: ['one two', 'six ten'],
})

// Lead-ins and headings may fill a range up to wholeChars.
const list = 'As here:\n\n- a b c d e f g h i'
check('joins a lead-in with its list beyond chunkChars', `${para}\n\n${list}`, {
  chunkChars: 24,
  wholeChars: 32,
  expected: [para, list],
})
check('does not treat a colon before a paragraph as a lead-in', `${'x'.repeat(20)}:\n\n${para}`, {
  chunkChars: 24,
  wholeChars: 40,
  expected: [`${'x'.repeat(20)}:`, para],
})
check('joins a comment with the next block', `${para} ${para}\n\n<!-- n -->\n\n${para} ${para}`, {
  chunkChars: 24,
  wholeChars: 40,
  expected: [`${para} ${para}`, `<!-- n -->\n\n${para} ${para}`],
})
check(
  'joins a comment with the first lines of a paragraph that does not fit whole',
  `<!-- ${'n'.repeat(12)} -->\n\none two three\nfour five six\n`,
  {
    chunkChars: 30,
    wholeChars: 38,
    expected: [`<!-- ${'n'.repeat(12)} -->\n\none two three`, 'four five six'],
  },
)
const fence = `\`\`\`\n${'a b c\n'.repeat(4)}\`\`\``
check('does not split a fence to join a comment', `<!-- ${'n'.repeat(12)} -->\n\n${fence}`, {
  chunkChars: 30,
  wholeChars: 38,
  expected: [`<!-- ${'n'.repeat(12)} -->`, fence],
})
check('joins a tiny remainder at the top with the range below', `Hm.\n\n${'w'.repeat(28)}`, {
  expected: [`Hm.\n\n${'w'.repeat(28)}`],
})
check('does not join a larger remainder', `Hmm.\n\n${'w'.repeat(28)}`, {
  expected: ['Hmm.', 'w'.repeat(28)],
})

test('accepts a tokenizer that counts more tokens in the whole than in its parts', () => {
  const countTokens = (text: string) => (text.length < 12 ? 2 : 100)
  const options = { chunkChars: 60, wholeChars: 60, maxTokens: 8, countTokens }
  expect(packed(`${para}\n\n${para}\n\n${para}`, options)).toEqual([para, para, para])
  expect(packed('As:\n\n- a b c d', options)).toEqual(['As:', '- a b', 'c d'])
})

test('returns no range for an empty text', () => {
  expect(packed('', {})).toEqual([])
})

test('throws if a character does not fit', () => {
  expect(() => packed('ab', { maxTokens: 2 })).toThrow('Cannot cut page "lamp.md": 2 tokens')
})
