import { expect, test } from 'bun:test'
import { languages } from '../../src/api/language.ts'
import { resolvePythonModules } from '../../src/api/link/python-package.ts'
import {
  lastPart,
  listedName,
  parsePageSymbols,
  partBelow,
  plainName,
} from '../../src/api/page-symbols.ts'
import { outlinePython } from '../../src/api/python/python.ts'
import { apiPages } from '../../src/api/render.ts'

test('reads the symbols of rendered pages', () => {
  const outline = outlinePython(`"""Lamps."""
SIZE = 3
class Wick:
    mm: int = 1
    def trim(self, by=1):
        """Cuts.

        \`\`\`
        ## \`no.name\`
        \`\`\`
        """
    @deprecated("use trim")
    def cut(self): ...
`)
  const pages = apiPages(
    resolvePythonModules(new Map([['lamp.py', outline]])),
    languages.python.style,
  )
  expect(
    pages.map(({ text }) =>
      parsePageSymbols(text).map((it) => [it.qualifiedName, it.signature, it.deprecated]),
    ),
  ).toEqual([
    [
      ['lamp', '', null],
      ['lamp.SIZE', 'SIZE = 3', null],
    ],
    [
      ['lamp.Wick', 'class Wick', null],
      ['lamp.Wick.mm', 'mm: int = 1', null],
      ['lamp.Wick.trim', 'def trim(by=1)', null],
      ['lamp.Wick.cut', 'def cut()', 'use trim'],
    ],
  ])
})

test('qualifies a listed value with the scope of its page', () => {
  expect(listedName('- `mm: int = 1`: Length.', 'lamp.Wick')).toBe('lamp.Wick.mm')
  expect(listedName('- `` const a = `x` ``', 'lamp')).toBe('lamp.a')
  expect(listedName('- `protected readonly a: string`', 'lamp.Wick')).toBe('lamp.Wick.a')
  expect(listedName('- `On(u8)`', 'lamp::State')).toBe('lamp::State::On')
  expect(listedName('- `pub const SIZE: u8 = 1`', 'lamp')).toBe('lamp::SIZE')
  expect(listedName('- `SIZE` (`public static int SIZE = 1`): Size.', 'a.B')).toBe('a.B.SIZE')
  expect(listedName('- text', 'lamp')).toBeNull()
})

test('reads the signature that follows the name of a listed value', () => {
  const text = '# `a.B`\n\n**Attributes**\n\n- `SIZE` (`int SIZE = 1`): Size.\n'
  expect(parsePageSymbols(text).map((it) => [it.qualifiedName, it.signature])).toEqual([
    ['a.B', ''],
    ['a.B.SIZE', 'int SIZE = 1'],
  ])
})

test('names the values of a C header without a scope', () => {
  const text = '# `lamp/lamp.h`\n\n**Values**\n\n- `MAX` (`#define MAX 3`): Most lamps.\n'
  expect(parsePageSymbols(text).map(({ qualifiedName }) => qualifiedName)).toEqual([
    'lamp/lamp.h',
    'MAX',
  ])
})

test('keeps the qualified name of a listed value', () => {
  expect(listedName("- `Lamp::SIZE` (`SIZE = '1'`): Length.", 'Lamp')).toBe('Lamp::SIZE')
  expect(listedName('- `A\\B\\SIZE` (`const SIZE = 1`)', 'A\\B')).toBe('A\\B\\SIZE')
})

test('splits names with the separators of all languages', () => {
  const names = ['a.b', 'a::b', 'a#b', 'a/b', 'a\\b']
  expect(names.map(lastPart)).toEqual(['b', 'b', 'b', 'b', 'b'])
  expect(names.map(plainName)).toEqual(['a.b', 'a.b', 'a.b', 'a.b', 'a.b'])
  expect(names.map((name) => partBelow(name, 'a'))).toEqual(['b', 'b', 'b', 'b', 'b'])
  expect([partBelow('ab', 'a'), partBelow('a.', 'a'), partBelow('b.a', 'a')]).toEqual([
    null,
    null,
    null,
  ])
})
