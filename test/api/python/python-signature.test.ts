import { parser } from '@lezer/python'
import { expect, test } from 'bun:test'
import { parseParameters, formatSignature } from '../../../src/api/python/python-signature.ts'

function check(code: string, expected: string) {
  const list = parser.parse(code).topNode.firstChild!.getChild('ParamList')
  const parameters = parseParameters(list, ({ from, to }) => code.slice(from, to))
  expect(formatSignature('f', parameters, '')).toBe(expected)
}

test('keeps Annotated metadata that is not documentation', () => {
  check('def f(a: Annotated[int, Gt(1), Doc("Many.")] = 2): ...', 'f(a: Annotated[int, Gt(1)] = 2)')
  check('def f(a: dict[str, Annotated[int, Doc("x")]]): ...', 'f(a: dict[str, int])')
})

test('removes comments and puts types on one line', () => {
  check(
    'def f(\n  a: dict[\n    str, int],  # why\n  *, b = {\n 1: 2 }): ...',
    'f(a: dict[str, int], *, b={ 1: 2 })',
  )
})
