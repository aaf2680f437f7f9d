import { expect, test } from 'bun:test'
import { growthLimitFor } from '../../../src/document/growth.ts'
import { isSubstitution, replacements, withNames } from '../../../src/page/rst/rst-part.ts'

test('reads characters, pictures and text, and replaces them outside tables', () => {
  const lines = [
    '.. |c| unicode:: 0xA9 .. sign',
    '.. |t| replace:: a',
    '   b',
    '|t| |c|',
    '| |t| | |',
  ]
  const names = replacements({ lines, from: 0, to: lines.length, cut: 0 })
  expect([...names]).toEqual([
    ['c', '©'],
    ['t', 'a b'],
  ])
  const shown = withNames(lines.slice(3), { names, growth: growthLimitFor(100) })
  expect(shown).toEqual(['a b ©', '| |t| | |'])
  expect(lines.map(isSubstitution)).toEqual([true, true, false, false, false])
})
