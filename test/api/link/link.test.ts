import { expect, test } from 'bun:test'
import { resolvePublicNames, type SourceModule } from '../../../src/api/link/link.ts'
import { outlinePython } from '../../../src/api/python/python.ts'

test('lists symbols of private modules only under their public names', () => {
  const module = (name: string, text: string, isPublic: boolean): SourceModule => ({
    name,
    path: `${name}.x`,
    outline: outlinePython(text),
    isPublic,
    passesOn: true,
  })
  const hidden = module('hidden', 'def a(): ...\ndef b(): ...', false)
  const open = module('open', 'from hidden import a as c', true)
  const linked = resolvePublicNames([hidden, open], {
    separator: '::',
    isPublicName: () => true,
    resolve: (_, written) => (written === 'hidden' ? hidden : null),
  })
  expect(linked.map(({ name }) => name)).toEqual(['open'])
  expect(linked[0]!.symbols.map(({ symbol, path }) => [symbol.qualifiedName, path])).toEqual([
    ['open::c', 'hidden.x'],
  ])
})
