import { parser } from '@lezer/python'
import { expect, test } from 'bun:test'
import { flattenStatements } from '../../../src/api/python/python-statement.ts'

test('reads statements inside `if` and `try` as part of the enclosing scope', () => {
  const code =
    'if a:\n  b = 1\nelse:\n  with c: d = 1\ntry:\n  e = 1\nfinally:\n  f = 1\nfor g in h: i = 1\n'
  const names = flattenStatements(parser.parse(code).topNode)
    .filter(({ name }) => name === 'AssignStatement')
    .map(({ from }) => code[from])
  expect(names).toEqual(['b', 'd', 'e', 'f'])
})
