import { expect, test } from 'bun:test'
import { outlinePython } from '../../../src/api/python/python.ts'

test('shortens long values and recognises type aliases', () => {
  const { symbols } = outlinePython(`
Wick: TypeAlias = str | None
type Oil[T] = list[T]
SIZES = [${'1, '.repeat(100)}]
`)
  expect(symbols.map((it) => [it.kind, it.signature.slice(0, 30)])).toEqual([
    ['type', 'Wick: TypeAlias = str | None'],
    ['type', 'type Oil[T] = list[T]'],
    ['value', 'SIZES = [1, 1, 1, 1, 1, 1, 1, '],
  ])
  expect(symbols[2]!.signature).toEndWith('…')
})

test('omits type variables, unless the module exports them', () => {
  const text = "T = t.TypeVar('T', bound=int)\nP = ParamSpec('P')\nId = NewType('Id', int)\n"
  const namesOf = (code: string) => outlinePython(code).symbols.map(({ name }) => name)
  expect(namesOf(text)).toEqual(['Id'])
  expect(namesOf(`__all__ = ['T']\n${text}`)).toEqual(['__all__', 'T', 'Id'])
})

test('shows every value of an enum member that is a tuple without parentheses', () => {
  const { symbols } = outlinePython(`
class codes(IntEnum):
    ACCEPTED = 202, "Accepted"
    OK: int = 200, "OK"
wick = oil = 1
left, right = 2, 3
`)
  const [codes, ...values] = symbols
  expect(codes!.kind).toBe('enum')
  expect(codes!.members.map(({ signature }) => signature)).toEqual([
    'ACCEPTED = 202, "Accepted"',
    'OK: int = 200, "OK"',
  ])
  expect(values.map(({ signature }) => signature)).toEqual(['wick = 1', 'left'])
})
