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

test('adds members of private base classes to a public class', () => {
  const text = `
class _Root:
    def __init__(self, oil=1): ...
    def burn(self): ...
class _Base(_Root):
    def on(self): ...
class Torch:
    def off(self): ...
class Lamp(_Base, Torch):
    def on(self, level=1): ...
`
  const outline = outlinePython(text)
  const module = { name: 'lamp', path: 'lamp.py', outline, isPublic: true, passesOn: false }
  const [linked] = resolvePublicNames([module], {
    separator: '.',
    isPublicName: (name) => !name.startsWith('_'),
    resolve: () => null,
  })
  const lamp = linked!.symbols.find(({ symbol }) => symbol.name === 'Lamp')!.symbol
  expect(lamp.signature).toBe('class Lamp(_Base, Torch)\nLamp(oil=1)')
  expect(lamp.members.map((it) => `${it.qualifiedName} ${it.signature}`)).toEqual([
    'lamp.Lamp.on def on(level=1)',
    'lamp.Lamp.burn def burn()',
  ])
})

test('adds types that public signatures mention and no module exports', () => {
  const text = `
_Mode = Literal["on", "off"] | _Level
_Level = int | str
_Unused = int | None
class _Code: ...
def light(mode: _Mode | _Code = "on"): ...
class _Lamp: ...
lamp = _Lamp(_Code())
spare: _Lamp
`
  const outline = outlinePython(text)
  const module = { name: 'lamp', path: 'lamp.py', outline, isPublic: true, passesOn: false }
  const [linked] = resolvePublicNames([module], {
    separator: '.',
    isPublicName: (name) => !name.startsWith('_'),
    resolve: () => null,
  })
  const names = linked!.symbols.map(({ symbol }) => [
    symbol.qualifiedName,
    symbol.isHidden ?? false,
  ])
  expect(names).toEqual([
    ['lamp.light', false],
    ['lamp.lamp', false],
    ['lamp.spare', false],
    ['lamp._Mode', true],
    ['lamp._Lamp', true],
    ['lamp._Level', true],
  ])
})
