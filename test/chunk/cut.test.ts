import { expect, test } from 'bun:test'
import { cut } from '../../src/chunk/cut.ts'
import { linesOf } from '../../src/chunk/line.ts'
import { sectionTree } from '../../src/chunk/section.ts'
import { headings } from '../../src/page/headings.ts'
import { countWords } from '../support/count-words.ts'

type CutOptions = { chunkChars?: number; overlapChars?: number; maxTokens?: number }

/** Each piece as its path and its text. */
function pieces(text: string, options: CutOptions = {}): [string, string][] {
  const { chunkChars = 24, overlapChars = 0, maxTokens = 512 } = options
  const lines = linesOf(text)
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
  return cut({ budget, lines, markup: 'markdown', overlapChars }, root).map(
    ({ start, end, path }) => [path.join(' > '), text.slice(start, end)],
  )
}

function check(name: string, rows: string[], expected: [string, string][], options?: CutOptions) {
  test(name, () => {
    const found = pieces(rows.join('\n'), options)
    expect(found.map(([path, text]) => [path, text.trim()])).toEqual(expected)
    expect(found.map(([, text]) => text).join('')).toBe(rows.join('\n'))
  })
}

check(
  'a page that fits is named by its one outermost heading',
  ['# A', 'One.', '## B', 'Two.'],
  [['A', '# A\nOne.\n## B\nTwo.']],
)
check('but not where text stands above that', ['Zero.', '# A', 'One.'], [['', 'Zero.\n# A\nOne.']])
check('a comment there is no text', ['<!-- c -->', '# A', 'One.'], [['A', '<!-- c -->\n# A\nOne.']])
check('nor where there are two', ['# A', 'One.', '# B', 'Two.'], [['', '# A\nOne.\n# B\nTwo.']])
check(
  'a section further down keeps its own name',
  ['# A', '## B', 'Two.', '# C', 'Three three.'],
  [
    ['A', '# A\n## B\nTwo.'],
    ['C', '# C\nThree three.'],
  ],
)
check(
  'what is too long is cut at the headings below, and those that fit stay whole',
  ['# A', 'One one one.', '## B', 'Two.', '### C', 'Three.', '## D', 'Four four four.'],
  [
    ['A', '# A\nOne one one.'],
    ['A > B', '## B\nTwo.\n### C\nThree.'],
    ['A > D', '## D\nFour four four.'],
  ],
)
check(
  'a heading that says nothing itself goes with the first piece below',
  ['# A', '## B', 'Two two two two.', '## C', 'Three three.'],
  [
    ['A > B', '# A\n## B\nTwo two two two.'],
    ['A > C', '## C\nThree three.'],
  ],
)
check(
  'but not beyond a quarter more than a chunk',
  ['# A heading of some length', '## B', 'Two two two two.', '## C', 'Three three.'],
  [
    ['A heading of some length', '# A heading of some length'],
    ['A heading of some length > B', '## B\nTwo two two two.'],
    ['A heading of some length > C', '## C\nThree three.'],
  ],
)
check(
  'blank lines at the top go with the first heading',
  ['', '', '# A', 'One one one one.', '# B', 'Two two two two.'],
  [
    ['A', '# A\nOne one one one.'],
    ['B', '# B\nTwo two two two.'],
  ],
)
check(
  'a section that holds too many tokens is divided too',
  ['# A', 'one two', '# B', 'six ten'],
  [
    ['A', '# A\none two'],
    ['B', '# B\nsix ten'],
  ],
  { chunkChars: 1000, maxTokens: 9 },
)

test('an overlap reaches back within a body, and never over a heading', () => {
  const text = '# A\n\none two\n\nsix red\n\nsky sun\n\n# B\n\nnot this one'
  const found = pieces(text, { chunkChars: 16, overlapChars: 6 })
  expect(found.map(([path, piece]) => `${path}: ${piece}`)).toEqual([
    'A: # A\n\none two\n\n',
    'A: two\n\nsix red\n\n',
    'A: red\n\nsky sun\n\n',
    'B: # B\n\nnot this one',
  ])
})
