import { expect, test } from 'bun:test'
import { parsePressedKeys } from '../../../src/cli/screen/key-screen.ts'

test('parses several keys that arrive in one read', () => {
  expect(parsePressedKeys('jk\x1b[A\x1bOB\x1b[6~\x1b')).toEqual([
    'down',
    'up',
    'up',
    'down',
    'page-down',
    'escape',
  ])
  expect(parsePressedKeys('Gg\x03\rq')).toEqual(['last', 'first', 'interrupt', 'enter', 'quit'])
  expect(parsePressedKeys('A5x\x1b[1;5C')).toEqual(['other', 'other', 'other', 'other'])
})
