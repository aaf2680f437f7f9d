import { expect, test } from 'bun:test'
import { blocksOf } from '../../src/chunk/block.ts'
import type { Budget } from '../../src/chunk/budget.ts'
import { linesOf } from '../../src/chunk/line.ts'
import { pack } from '../../src/chunk/pack.ts'
import { countWords } from '../support/count-words.ts'

type PackOptions = Partial<Budget> & { reserve?: number; prefix?: string }

/** Packs the blocks of a text; the ranges tile it. */
function packed(text: string, { reserve = 0, prefix = '', ...more }: PackOptions): string[] {
  const lines = linesOf(text)
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
  const setting = { budget, lines, markup: 'markdown' as const, place: { path: [], prefix } }
  const blocks = blocksOf(lines, { markup: 'markdown', from: 0, to: lines.count })
  const ranges = pack(setting, blocks, reserve).map(({ start, end }) => text.slice(start, end))
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

check('ranges are filled from the last one backwards', [para, para, para].join('\n\n'), {
  chunkChars: 25,
  wholeChars: 25,
  expected: [para, `${para}\n\n${para}`],
})
check('a share of each range is left free for an overlap', [para, para].join('\n\n'), {
  reserve: 0.2,
  expected: [`${para}\n\n${para}`],
})
check('and what then has no room stands alone', [para, para].join('\n\n'), {
  chunkChars: 25,
  wholeChars: 25,
  reserve: 0.2,
  expected: [para, para],
})
check('so it is with tokens, which the line above the chunk takes from too', 'one two\n\nsix ten', {
  maxTokens: 6,
  countTokens: countWords,
  expected: ['one two\n\nsix ten'],
})
check('a prefix of one token more divides them', 'one two\n\nsix ten', {
  maxTokens: 6,
  prefix: 'top\n',
  expected: ['one two', 'six ten'],
})

// `led` and `headed` may fill a range up to wholeChars.
const list = 'As here:\n\n- a b c d e f g h i'
check('a lead-in goes with its list beyond chunkChars', `${para}\n\n${list}`, {
  chunkChars: 24,
  wholeChars: 32,
  expected: [para, list],
})
check('a colon before a paragraph announces nothing', `${'x'.repeat(20)}:\n\n${para}`, {
  chunkChars: 24,
  wholeChars: 40,
  expected: [`${'x'.repeat(20)}:`, para],
})
check('a comment goes with what follows it', `${para} ${para}\n\n<!-- n -->\n\n${para} ${para}`, {
  chunkChars: 24,
  wholeChars: 40,
  expected: [`${para} ${para}`, `<!-- n -->\n\n${para} ${para}`],
})
check(
  'and takes the first lines of a paragraph that has no room for it whole',
  `<!-- ${'n'.repeat(12)} -->\n\none two three\nfour five six\n`,
  {
    chunkChars: 30,
    wholeChars: 38,
    expected: [`<!-- ${'n'.repeat(12)} -->\n\none two three`, 'four five six'],
  },
)
const fence = `\`\`\`\n${'a b c\n'.repeat(4)}\`\`\``
check('but of a fence it takes none', `<!-- ${'n'.repeat(12)} -->\n\n${fence}`, {
  chunkChars: 30,
  wholeChars: 38,
  expected: [`<!-- ${'n'.repeat(12)} -->`, fence],
})
check('a tiny rest at the top joins the range below', `Hm.\n\n${'w'.repeat(28)}`, {
  expected: [`Hm.\n\n${'w'.repeat(28)}`],
})
check('a larger one does not', `Hmm.\n\n${'w'.repeat(28)}`, { expected: ['Hmm.', 'w'.repeat(28)] })

test('a counter that finds more tokens in the whole than in its parts is believed', () => {
  const countTokens = (text: string) => (text.length < 12 ? 2 : 100)
  const options = { chunkChars: 60, wholeChars: 60, maxTokens: 8, countTokens }
  expect(packed(`${para}\n\n${para}\n\n${para}`, options)).toEqual([para, para, para])
  expect(packed('As:\n\n- a b c d', options)).toEqual(['As:', '- a b', 'c d'])
})

test('no text is no range', () => {
  expect(packed('', {})).toEqual([])
})

test('a character without room is an error', () => {
  expect(() => packed('ab', { maxTokens: 2 })).toThrow('Cannot cut page "lamp.md": 2 tokens')
})
