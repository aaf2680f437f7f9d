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
