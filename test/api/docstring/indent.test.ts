import { expect, test } from 'bun:test'
import {
  commentLines,
  dedent,
  indentOf,
  trimBlankLines,
} from '../../../src/api/docstring/indent.ts'

test('removes the indentation that all lines except the first share', () => {
  expect(dedent('Lamp.\n\n    a\n      b  ')).toEqual(['Lamp.', '', 'a', '  b'])
  expect(indentOf('  a')).toBe(2)
  expect(trimBlankLines(['', 'a', '', 'b', ''])).toEqual(['a', '', 'b'])
})

test('removes stars from a block comment only if its lines begin with them', () => {
  expect(commentLines('/**\n * Lamp.\n *\n *   **Oil**\nfree\n */')).toEqual([
    '',
    'Lamp.',
    '',
    '  **Oil**',
    'free',
    '',
  ])
  const bare = '/**\n\tLamp.\n\n\t**Tip:** Trim it.\n\n\t@example\n\t* one\n\t*/'
  expect(commentLines(bare)).toEqual([
    '',
    'Lamp.',
    '',
    '**Tip:** Trim it.',
    '',
    '@example',
    '* one',
    '',
  ])
})
