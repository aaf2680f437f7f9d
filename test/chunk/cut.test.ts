import { expect, test } from 'bun:test'
import { cutSection } from '../../src/chunk/cut.ts'
import { indexLines } from '../../src/chunk/line.ts'
import { sectionTree } from '../../src/chunk/section.ts'
import { countWords } from '../support/count-words.ts'
import { headings } from '../../src/document/headings.ts'

type CutOptions = { chunkChars?: number; overlapChars?: number; maxTokens?: number }

/** Checks the path and text of each piece. */
function pieces(text: string, options: CutOptions = {}): [string, string][] {
  const { chunkChars = 24, overlapChars = 0, maxTokens = 512 } = options
  const lines = indexLines(text)
  const budget = {
    text,
    title: 'Lamp',
    path: 'lamp.md',
    chunkChars,
    wholeChars: chunkChars * 1.25,
    maxTokens,
    countTokens: countWords,
  }
  const root = sectionTree(lines, headings(text, 'markdown'))
  return cutSection({ budget, lines, overlapChars }, root).map(({ start, end, path }) => [
    path.join(' > '),
    text.slice(start, end),
  ])
}

function check(name: string, rows: string[], expected: [string, string][], options?: CutOptions) {
  test(name, () => {
    const found = pieces(rows.join('\n'), options)
    expect(found.map(([path, text]) => [path, text.trim()])).toEqual(expected)
    expect(found.map(([, text]) => text).join('')).toBe(rows.join('\n'))
  })
}

check(
  'gives a page that fits the path of its only outermost heading',
  ['# A', 'One.', '## B', 'Two.'],
  [['A', '# A\nOne.\n## B\nTwo.']],
)
check(
  'leaves the path empty if there is text above the outermost heading',
  ['Zero.', '# A', 'One.'],
  [['', 'Zero.\n# A\nOne.']],
)
check(
  'ignores a comment above the outermost heading',
  ['<!-- c -->', '# A', 'One.'],
  [['A', '<!-- c -->\n# A\nOne.']],
)
check(
  'leaves the path empty if there are two outermost headings',
  ['# A', 'One.', '# B', 'Two.'],
  [['', '# A\nOne.\n# B\nTwo.']],
)
check(
  'keeps the path of a deeper section',
  ['# A', '## B', 'Two.', '# C', 'Three three.'],
  [
    ['A', '# A\n## B\nTwo.'],
    ['C', '# C\nThree three.'],
  ],
)
check(
  'cuts a long section at its headings, and keeps children that fit whole',
  ['# A', 'One one one.', '## B', 'Two.', '### C', 'Three.', '## D', 'Four four four.'],
  [
    ['A', '# A\nOne one one.'],
    ['A > B', '## B\nTwo.\n### C\nThree.'],
    ['A > D', '## D\nFour four four.'],
  ],
)
check(
  'joins a heading without text with the first piece below',
  ['# A', '## B', 'Two two two two.', '## C', 'Three three.'],
  [
    ['A > B', '# A\n## B\nTwo two two two.'],
    ['A > C', '## C\nThree three.'],
  ],
)
check(
  'does not join a heading if the piece exceeds a chunk by more than a quarter',
  ['# A heading of some length', '## B', 'Two two two two.', '## C', 'Three three.'],
  [
    ['A heading of some length', '# A heading of some length'],
    ['A heading of some length > B', '## B\nTwo two two two.'],
    ['A heading of some length > C', '## C\nThree three.'],
  ],
)
check(
  'joins blank lines at the top with the first heading',
  ['', '', '# A', 'One one one one.', '# B', 'Two two two two.'],
  [
    ['A', '# A\nOne one one one.'],
    ['B', '# B\nTwo two two two.'],
  ],
)
check(
  'divides a section with too many tokens',
  ['# A', 'one two', '# B', 'six ten'],
  [
    ['A', '# A\none two'],
    ['B', '# B\nsix ten'],
  ],
  { chunkChars: 1000, maxTokens: 9 },
)

test('adds overlap within a section body, but never across a heading', () => {
  const text = '# A\n\none two\n\nsix red\n\nsky sun\n\n# B\n\nnot this one'
  const found = pieces(text, { chunkChars: 16, overlapChars: 6 })
  expect(found.map(([path, piece]) => `${path}: ${piece}`)).toEqual([
    'A: # A\n\none two\n\n',
    'A: two\n\nsix red\n\n',
    'A: red\n\nsky sun\n\n',
    'B: # B\n\nnot this one',
  ])
})
