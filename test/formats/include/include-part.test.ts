import { expect, test } from 'bun:test'
import { selectPart, type IncludePart } from '../../../src/formats/include/include-part.ts'

function check(text: string, part: IncludePart, expected: string | null): void {
  expect(selectPart(text, part)?.join('\n') ?? null).toBe(expected)
}

const digits = '1\n2\n3\n4\n5\n'

test('selects lines by number', () => {
  check(digits, {}, '1\n2\n3\n4\n5')
  for (const lines of ['2-3', '2:3', '2..3', '2, 3']) check(digits, { lines }, '2\n3')
  check(digits, { lines: '4-' }, '4\n5')
  check(digits, { lines: '-2' }, '1\n2')
  check(digits, { lines: '5,1' }, '5\n1')
  check(digits, { lines: '9' }, null)
  check(digits, { lines: 'all' }, null)
})

test('selects the lines between two marker texts', () => {
  const text = 'a\n# __x_start__\n  b\n    c\n# __x_end__\nd\n'
  check(text, { startAfter: '__x_start__', endBefore: '__x_end__' }, 'b\n  c')
  check(
    text,
    { startAt: '__x_start__', endAt: '__x_end__', lines: '1,4' },
    '# __x_start__\n# __x_end__',
  )
  check(text, { startAfter: 'nope' }, null)
  check(text, { startAfter: '__x_start__', endBefore: 'nope' }, null)
})

test('selects regions marked by editors, snippets and AsciiDoc', () => {
  check(
    'a\n// #region x\n  b\n// #region y\n  c\n// #endregion y\n// #endregion x\nd',
    { region: 'x' },
    'b\nc',
  )
  check('# --8<-- [start:x]\n  b\n# --8<-- [end:x]\nd', { region: 'x' }, 'b')
  check('a\n// tag::x[]\nb\n// end::x[]\nc', { region: 'x' }, 'b')
  check('<!-- #region x -->\nb\n<!-- #endregion x -->', { region: 'x' }, 'b')
  check('a', { region: 'x' }, null)
  check('a\n# --8<-- [start:x]\nb\n# --8<-- [end:x]\n', {}, 'a\nb')
})

test('selects a Python definition with its decorators', () => {
  const text =
    'class A:\n    x = 1\n\n    @cached\n    def f(\n        self,\n    ):\n        return 1\n\n' +
    '    def g(self): ...\n\n\nclass B: ...\n'
  check(text, { pyobject: 'A.f' }, '@cached\ndef f(\n    self,\n):\n    return 1')
  check(text, { pyobject: 'B' }, 'class B: ...')
  check(text, { pyobject: 'A.h' }, null)
})
