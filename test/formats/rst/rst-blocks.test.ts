import { expect, test } from 'bun:test'
import { paragraph } from '../../../src/document/nodes.ts'
import { withLead } from '../../../src/formats/rst/rst-blocks.ts'
import { rstToMarkdown } from '../../../src/formats/rst/rst-markdown.ts'

const check = (text: string, expected: string) =>
  expect(rstToMarkdown(text).trimEnd()).toBe(expected)

test('converts lists, definitions, fields, footnotes and lines', () => {
  check('#. a\n#. b\n\n   c\n\n- d\n\n  - e', '1. a\n\n2. b\n\n   c\n\n- d\n\n  - e')
  check('a. b\nc. d', '1. b\n2. d')
  check('1. b\nis a text', '1. b\nis a text')
  check('``a``\n   One *b*.\n\n   Two.\n\nc\n   d', '**`a`**  \nOne *b*.\n\nTwo.\n\n**c**  \nd')
  check(':a b: c\n   d\n:e: f', '- **a b:** c\n  d\n- **e:** f')
  check('x [1]_\n\n.. [1] said\n   so', 'x [1]\n\n[1] said\nso')
  check('| a\n| b', 'a  \nb')
  check('a\n\n    quoted\n    twice', 'a\n\nquoted\ntwice')
})

test('puts a lead before the first paragraph, or above another block', () => {
  expect(withLead(['a '], [paragraph('b')])).toEqual([paragraph('a ', 'b')])
  expect(withLead(['a'], [])).toEqual([paragraph('a')])
})
