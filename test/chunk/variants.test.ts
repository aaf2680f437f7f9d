import { expect, test } from 'bun:test'
import { findVariantGroups, type BlockRange } from '../../src/chunk/variants.ts'

/** Returns the labels of each group of blocks; a block that starts with a fence is code. */
function check(blocks: string[], expected: string[][]) {
  let end = 0
  const ranges = blocks.map((block): BlockRange => {
    const start = end
    end += block.length
    return { kind: block.startsWith('```') ? 'fence' : 'paragraph', start, end }
  })
  const groups = findVariantGroups(blocks.join(''), ranges)
  expect(groups.map((group) => group.map(({ label }) => label))).toEqual(expected)
}

const code = (last: string) => `\`\`\`\nimport lamp\nlamp.light()\nlamp.${last}()\n\`\`\`\n\n`
const tip = '**Tip**\n\n'

test('groups labels that differ only in a version, and similar code', () => {
  check(
    ['Python 3.10+:\n\n', code('a'), 'Python 3.8+:\n\n', code('b')],
    [['Python 3.10+', 'Python 3.8+']],
  )
  check(['Modern:\n\n', code('a'), 'Old:\n\n', code('b')], [['Modern', 'Old']])
})

test('allows short notes between a label and its code', () => {
  check(
    ['Modern:\n\n', code('a'), 'Old:\n\n', tip, 'Prefer the other.\n\n', code('b')],
    [['Modern', 'Old']],
  )
  check(['Modern:\n\n', code('a'), 'Old:\n\n', `${'long '.repeat(50)}\n\n`, code('b')], [])
  check(['Modern:\n\n', code('a'), 'Old:\n\n', tip, tip, tip, tip, code('b')], [])
})

test('starts a new group at a repeated label', () => {
  const [a, b] = ['Python:\n\n', 'Rust:\n\n']
  check(
    [a, code('a'), b, code('b'), a, code('c'), b, code('d')],
    [
      ['Python', 'Rust'],
      ['Python', 'Rust'],
    ],
  )
})

test('ends a group at other text between two variants', () => {
  check(['Modern:\n\n', code('a'), 'Then.\n\n', 'Old:\n\n', code('b')], [])
  check(['Modern:\n\n', code('a'), 'Old:\n\n'], [])
})
