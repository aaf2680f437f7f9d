import { expect, test } from 'bun:test'
import { keysOf } from '../../../src/cli/screen/key-screen.ts'

test('names keys, several in one read', () => {
  expect(keysOf('jk\x1b[A\x1bOB\x1b[6~\x1b')).toEqual([
    'down',
    'up',
    'up',
    'down',
    'page-down',
    'escape',
  ])
  expect(keysOf('Gg\x03\rq')).toEqual(['last', 'first', 'interrupt', 'enter', 'quit'])
  expect(keysOf('A5x\x1b[1;5C')).toEqual(['other', 'other', 'other', 'other'])
})
