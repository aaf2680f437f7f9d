import { expect, test } from 'bun:test'
import { resolvePythonModules } from '../../../src/api/link/python-package.ts'
import { outlinePython } from '../../../src/api/python/python.ts'

function link(files: Record<string, string>, manifest: string | null = null) {
  const outlines = Object.entries(files).map(([path, text]) => [path, outlinePython(text)] as const)
  const place = { name: '', pathOf: (path: string) => path, dependencies: new Map(), manifest }
  return resolvePythonModules(new Map(outlines), place)
}

/**
 * Checks the path at which each qualified name is declared; an alias is written as `name → name`.
 */
function check(files: Record<string, string>, expected: Record<string, string>) {
  const names = link(files).flatMap((module) => [
    ...module.symbols.map(({ symbol, path }) => [symbol.qualifiedName, path]),
    ...module.aliases.map(({ name, of }) => [`${module.name}.${name}`, `→ ${of}`]),
  ])
  expect(Object.fromEntries(names)).toEqual(expected)
}

test('names a class by its shortest public name', () => {
  check(
    {
      'lamp/__init__.py': 'from .wick import Wick\nfrom ._oil import *\nimport os\n',
      'lamp/wick.py': 'from .other import unseen\nclass Wick: ...\nclass _Hidden: ...\n',
      'lamp/_oil.py': '__all__ = ["burn"]\ndef burn(): ...\ndef spill(): ...\n',
    },
    { 'lamp.Wick': 'lamp/wick.py', 'lamp.burn': 'lamp/_oil.py', 'lamp.wick.Wick': '→ lamp.Wick' },
  )
})

test('omits names that only type checkers import', () => {
  check(
    {
      'lamp/__init__.py':
        'TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from .wick import Wick\n' +
        '    from .wick import Oil as Oil\nelse:\n    from .wick import burn\n',
      'lamp/wick.py': 'class Wick: ...\nclass Oil: ...\ndef burn(): ...\n',
    },
    {
      'lamp.Oil': 'lamp/wick.py',
      'lamp.burn': 'lamp/wick.py',
      'lamp.wick.Wick': 'lamp/wick.py',
      'lamp.wick.Oil': '→ lamp.Oil',
      'lamp.wick.burn': '→ lamp.burn',
    },
  )
})

test('names base classes by their public names', () => {
  const [lamp] = link({
    'lamp/__init__.py':
      'from .core.wick import Wick as CoreWick\nfrom ._oil import Oil\n' +
      'class Wick(CoreWick, Oil, Other): ...\n',
    'lamp/core/__init__.py': '',
    'lamp/core/wick.py': 'class Wick: ...\n',
    'lamp/_oil.py': 'from .core.wick import Wick\nclass Oil: ...\n',
  })
  const own = lamp!.symbols.find(({ symbol }) => symbol.qualifiedName === 'lamp.Wick')
  expect(own?.symbol.bases).toEqual(['lamp.CoreWick', 'lamp.Oil', 'Other'])
})

test('follows relative imports and the __all__ of another module', () => {
  check(
    {
      'lamp/__init__.py':
        'from . import wick\nfrom .wick import *\n__all__ = ["on"] + wick.__all__\n' +
        'def on(): ...\ndef off(): ...\n',
      'lamp/wick/__init__.py': 'from ..core import trim as cut\n__all__ = ["cut"]\n',
      'lamp/core.py': '__all__ = []\ndef trim(): ...\n',
    },
    { 'lamp.on': 'lamp/__init__.py', 'lamp.cut': 'lamp/core.py', 'lamp.wick.cut': '→ lamp.cut' },
  )
})

test('prefers a stub file and adds missing documentation from the source file', () => {
  const [module] = link({
    'lamp.py': 'def on(x):\n    """Lights."""\nclass A:\n    def b(self, c):\n        "Bees."\n',
    'lamp.pyi': 'def on(x: int) -> bool: ...\nclass A:\n    def b(self, c: str): ...\n',
  })
  expect(module!.symbols.map(({ symbol }) => [symbol.signature, symbol.documentation])).toEqual([
    ['def on(x: int) -> bool', 'Lights.'],
    ['class A', ''],
  ])
  expect(module!.symbols[1]!.symbol.members[0]).toMatchObject({
    qualifiedName: 'lamp.A.b',
    signature: 'def b(c: str)',
    documentation: 'Bees.',
  })
})

test('documents a stub by the only documented twin of its names in private modules', () => {
  const [module] = link({
    'lamp/__init__.pyi': 'def on() -> bool: ...\ndef off() -> bool: ...\n',
    'lamp/_pylamp.py': 'def on():\n    """Lights."""\ndef off():\n    """Ends."""\n',
    'lamp/_other.py': 'def off():\n    """Stops."""\n',
  })
  const texts = module!.symbols.map(({ symbol }) => [symbol.name, symbol.documentation])
  expect(texts).toEqual([
    ['on', 'Lights.'],
    ['off', ''],
  ])
})

test('terminates if modules import each other', () => {
  check(
    {
      'a/__init__.py': 'from .b import *\nfrom .b import x as y\n',
      'a/b.py': 'from . import *\nfrom . import y as x\n',
    },
    {},
  )
})

test('lists public names without a declaration, but no imports for own use', () => {
  const files = {
    'lamp/__init__.py':
      '__all__ = ["Wick", "Oil", "Gas", "sub", "burn"]\nfrom oil_core import Oil\n' +
      'from gas.api.core import Gas\nfrom re import sub\n',
    'lamp/open/__init__.py':
      'import os\nfrom re import sub\nfrom ._fast import ignite\nfrom ..compat import StringIO\n',
    'lamp/compat.py': 'from io import StringIO\n',
  }
  const modules = link(files, 'Requires-Dist: oil-core>=1\nRequires-Dist: gas-api\n')
  const missing = modules.flatMap(({ unresolved }) => unresolved)
  expect(missing.map(({ name, reason, from }) => `${name} ${reason} ${from}`)).toEqual([
    'lamp.Wick undeclared lamp/__init__.py',
    'lamp.Oil dependency pypi:oil-core',
    'lamp.Gas dependency pypi:gas-api',
    'lamp.burn undeclared lamp/__init__.py',
    'lamp.open.ignite absent ._fast in lamp/open/__init__.py',
  ])
  expect(modules[0]!.symbols.map(({ symbol: it }) => [it.qualifiedName, it.documentation])).toEqual(
    [['lamp.sub', 'From the standard library: `re`.']],
  )
})

test('follows names that a module imports when they are used', () => {
  check(
    {
      'lamp/__init__.py':
        'from lamp import _parts\n_lazy = {"Wick": ".wick", "Fuel": ("lamp.oil", "Oil")}\n' +
        '_parts_by_name = {"tools": ["burn"], "tools.trim": ["trim"]}\n_old = {"flame": "fire"}\n' +
        '__all__ = list(_lazy) + ["burn", "trim", "light"]\ndef __getattr__(name):\n' +
        '    if name == "light":\n        from ._light import light\n        return light\n',
      'lamp/wick.py': 'class Wick: ...\n',
      'lamp/oil.py': 'class Oil: ...\n',
      'lamp/tools/__init__.py': 'def burn(): ...\n',
      'lamp/tools/trim.py': 'def trim(): ...\n',
      'lamp/_light.py': 'def light(): ...\n',
      'lamp/fire.py': 'def flame(): ...\n',
    },
    {
      'lamp.Wick': 'lamp/wick.py',
      'lamp.Fuel': 'lamp/oil.py',
      'lamp.burn': 'lamp/tools/__init__.py',
      'lamp.trim': 'lamp/tools/trim.py',
      'lamp.light': 'lamp/_light.py',
      'lamp.wick.Wick': '→ lamp.Wick',
      'lamp.oil.Oil': '→ lamp.Fuel',
      'lamp.tools.burn': '→ lamp.burn',
      'lamp.tools.trim.trim': '→ lamp.trim',
      'lamp.fire.flame': 'lamp/fire.py',
    },
  )
})

test('reads a module named tests, but no folder of tests', () => {
  check(
    {
      'lamp/__init__.py': '',
      'lamp/tests.py': 'def is_lit(): ...\n',
      'lamp/core/tests/util.py': 'def unseen(): ...\n',
      'lamp/conftest.py': 'def fixture(): ...\n',
    },
    { 'lamp.tests.is_lit': 'lamp/tests.py' },
  )
})
