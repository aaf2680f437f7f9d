import { expect, test } from 'bun:test'
import { outlinePython } from '../../../src/api/python/python.ts'

test('reads imports, also inside `if` and `try`', () => {
  const { references } = outlinePython(`
import lamp.wick as w, os
if TYPE_CHECKING:
    from ._oil import (Oil as Oil, burn)
try:
    from .fast import *
except ImportError: pass
`)
  expect(references).toEqual([
    { name: 'w', module: 'lamp.wick', original: null, isPassedOn: false },
    { name: 'os', module: 'os', original: null, isPassedOn: false },
    { name: 'Oil', module: '._oil', original: 'Oil', isPassedOn: true, isForTypes: true },
    { name: 'burn', module: '._oil', original: 'burn', isPassedOn: false, isForTypes: true },
    { name: '*', module: '.fast', original: '*', isPassedOn: false },
  ])
})

test('reads every form of __all__', () => {
  const { exported, exportedOf } = outlinePython(`
__all__ = 'A', 'B'
__all__ += ["C"] + wick.__all__
__all__.append("D")
__all__.extend(["E"])
`)
  expect(exported?.map(({ name }) => name)).toEqual(['A', 'B', 'C', 'D', 'E'])
  expect(exportedOf).toEqual(['wick'])
})

test('reads __all__ from variables and from other modules', () => {
  const read = (text: string) => {
    const { exported, exportedOf } = outlinePython(text)
    return [exported?.map(({ name }) => name) ?? null, exportedOf]
  }
  expect(read('_n = ["A"]\n_m = {"B": ["x"]}\n__all__ = sorted([*_n, *_m])\n')).toEqual([
    ['A', 'B'],
    [],
  ])
  expect(read('from .a import __all__ as _a\nimport b\n__all__ = _a + b.__all__\n')).toEqual([
    [],
    ['_a', 'b'],
  ])
  expect(read('__all__ = [it for it in dir() if it]\n')).toEqual([null, []])
  const modules = "mods = ('a', 'b')\n__all__ = cat(sys.modules['x.' + m].__all__ for m in mods)\n"
  expect(read(modules)).toEqual([null, []])
  expect(read('__all__ = []\n')).toEqual([[], []])
})

test('reads the names that __getattr__ imports', () => {
  const { references } = outlinePython(
    '_lazy = {"Wick": "lamp.wick:Core", "oil": ["burn"]}\n_old = {"flame": "fire"}\n' +
      'def __getattr__(name):\n    from .light import on\n',
  )
  const written = references.map(({ name, module, original }) => `${name} ${module} ${original}`)
  expect(written).toEqual([
    'on .light on',
    'Wick .lamp.wick Core',
    'Wick lamp.wick Core',
    'burn .oil burn',
    'burn oil burn',
  ])
  expect(outlinePython('_lazy = {"Wick": ".wick"}\n').references).toEqual([])
})
