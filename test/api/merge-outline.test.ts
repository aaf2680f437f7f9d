import { expect, test } from 'bun:test'
import { addOutline } from '../../src/api/merge-outline.ts'
import { outlineTypeScript } from '../../src/api/typescript/typescript.ts'

test('adds members, names and namespaces of a second declaration of a module', () => {
  const outline = outlineTypeScript(
    'export interface A { b: 1 }\nexport namespace N { const x: 1 }',
  )
  addOutline(
    outline,
    outlineTypeScript(
      'export interface A { c: 2 }\nexport namespace N { const y: 1 }\nexport const d = 1',
    ),
  )
  expect(outline.symbols.map(({ name }) => name)).toEqual(['A', 'd'])
  expect(outline.symbols[0]!.members.map(({ name }) => name)).toEqual(['b', 'c'])
  expect(outline.exported!.map(({ name }) => name)).toEqual(['A', 'N', 'd'])
  expect(outline.modules![0]!.outline!.symbols.map(({ name }) => name)).toEqual(['x', 'y'])
})
