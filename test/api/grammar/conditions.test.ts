import { expect, test } from 'bun:test'
import { maskConditions } from '../../../src/api/grammar/conditions.ts'

const check = (branches: 'all' | 'first', text: string, expected: string[]) =>
  expect(
    maskConditions(text, { branches })
      .split('\n')
      .filter((line) => line.trim() !== ''),
  ).toEqual(expected)

const text = '#if A \\\n  && B\none\n#elif C\ntwo\n#else\nthree\n#endif\nfour'

test('keeps all branches, or the first one', () => {
  check('all', text, ['one', 'two', 'three', 'four'])
  check('first', text, ['one', 'four'])
})

test('blanks branches that C compilers never see, with the conditions inside', () => {
  check('all', '#if 0\n#if A\none\n#else\ntwo\n#endif\n#else\nthree\n#endif', ['three'])
  check('all', '#ifdef __cplusplus\none\n#endif\n#define TWO\n', ['#define TWO'])
})
