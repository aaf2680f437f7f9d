import { expect, test } from 'bun:test'
import { siteText, type SiteSource } from '../../support/page/site-pages.ts'

const source: SiteSource = {
  generator: 'sphinx',
  config: 'docs/conf.py',
  root: 'docs',
  files: {
    'docs/conf.py':
      'import sys\nsys.path.insert(0, os.path.abspath("../code"))\nextensions = []\n' +
      'autodoc_default_options = {\n    "members": True,\n    "exclude-members": "secret",\n}\n',
    'code/tool/__init__.py':
      '"""The tool.\n\nMore\n====\n\n.. autosummary::\n\n   Lamp\n   shine - text\n"""\n' +
      'from .lamp import Lamp\n' +
      'def shine(bright: int = 1) -> None:\n    """Shines ``now``. Then not."""\n' +
      '__all__ = ["Lamp", "shine"]\n',
    'code/tool/lamp.py':
      'class Lamp:\n    """A :class:`.Lamp`.\n\n    .. code-block:: python\n\n        Lamp(1)\n    """\n' +
      '    def __init__(self, color: str = "red"): ...\n' +
      '    def on(self, *, slowly=False):\n        """Turns on.\n\n        :param slowly: how"""\n' +
      '    def secret(self):\n        """No."""\n    def plain(self): ...\n',
  },
}
const shown = async (text: string) =>
  (await siteText(source, text, 'docs/a/page.rst')).replace(/\n{3,}/g, '\n\n').trim()

test('replaces autoclass by the class with its members', async () => {
  const text = '.. currentmodule:: tool\n\n.. autoclass:: Lamp\n\n   Own text.\n\nEnd'
  expect(await shown(text)).toBe(
    '`class tool.Lamp(color: str = "red")`\n\nA `Lamp`.\n\n```python\nLamp(1)\n```\n\n' +
      'Own text.\n\n`tool.Lamp.on(*, slowly=False)`\n\nTurns on.\n\n' +
      '**Parameters**\n\n- `slowly`: how\n\nEnd',
  )
})

test('follows the options of a directive', async () => {
  const members = async (options: string) => {
    const text = await shown(`.. autoclass:: tool.Lamp\n${options}`)
    return [...text.matchAll(/`tool\.Lamp\.(\w+)/g)].map(([, name]) => name)
  }
  expect(await members('   :undoc-members:\n')).toEqual(['on', 'plain'])
  expect(await members('   :members: plain\n')).toEqual(['plain'])
  expect(await members('   :exclude-members: on\n')).toEqual(['secret'])
  expect(await members('   :no-members:\n')).toEqual([])
  expect(await members('\n   .. automethod:: plain\n')).toEqual(['plain', 'on'])
})

test('shows the docstring of a module with its own directives', async () => {
  expect(await shown('.. automodule:: tool\n   :no-members:\n')).toBe(
    'The tool.\n\n# More\n\n- `Lamp(color: str = "red")`: A `Lamp`.\n' +
      '- `shine(bright: int = 1)`: Shines `now`.',
  )
})

test('reads the directives of sphinx-autoapi', async () => {
  expect(await shown('.. autoapifunction:: tool.shine\n')).toBe(
    await shown('.. autofunction:: tool.shine\n'),
  )
  const inside = '\n   .. autoapimethod:: plain\n'
  expect(await shown(`.. autoapiclass:: tool.Lamp\n${inside}`)).toContain('`tool.Lamp.plain(')
  expect(await shown('.. autoapimodule:: tool\n   :no-members:\n')).toStartWith('The tool.')
})

test('completes a name with the module, the class and the import', async () => {
  expect(await shown('.. autofunction:: tool.shine\n')).toStartWith('`tool.shine(bright: int = 1)')
  expect(await shown('.. module:: tool\n\n.. autofunction:: shine\n')).toContain('`tool.shine(')
  expect(await shown('.. currentmodule:: tool\n\n.. automethod:: Lamp.on\n')).toStartWith(
    '`tool.Lamp.on(',
  )
})

test('shows the name of an unavailable object, and keeps the text of its directive', async () => {
  expect(await shown('.. autoclass:: other.Lamp\n   :members:\n\n   Text.\n')).toBe(
    '`other.Lamp` (API reference, not included)\n\nText.',
  )
  expect(await shown('.. autosummary::\n\n   other.a\n   other.b\n')).toBe(
    '- `other.a`\n- `other.b`\n\n(API reference, not included)',
  )
})

test('adds the module name to the signatures of a page', async () => {
  const text =
    '.. py:module:: m\n\n.. function:: run(x)\n\n.. class:: C()\n\n   .. method:: go()\n\n' +
    '.. function:: m.own()\n\n.. c:function:: int f(int a)\n'
  expect(await shown(text)).toBe(
    '`m`\n\n`m.run(x)`\n\n`m.C()`\n\n`go()`\n\n`m.own()`\n\n`int f(int a)`',
  )
})

test('shows a long signature as code', async () => {
  const code = `def f(${Array.from({ length: 30 }, (_, at) => `parameter_${at}: int`).join(', ')}): ...`
  const files = { ...source.files, 'code/long.py': code }
  const text = await siteText({ ...source, files }, '.. autofunction:: long.f\n', 'docs/p.rst')
  expect(text).toStartWith('`long.f`\n\n```python\ndef f(\n    parameter_0: int,')
})

test('ignores directives in code', async () => {
  const text = '.. code-block:: rst\n\n   .. autoclass:: tool.Lamp'
  expect(await shown(text)).toBe('```rst\n.. autoclass:: tool.Lamp\n```')
})
