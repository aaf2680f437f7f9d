import { expect, test } from 'bun:test'
import { languages } from '../../src/api/language.ts'
import { resolvePythonModules } from '../../src/api/link/python-package.ts'
import { resolveNpmModules } from '../../src/api/link/npm-package.ts'
import { outlinePython } from '../../src/api/python/python.ts'
import { aliasedModules, apiPages, condenseMembers, firstSentence } from '../../src/api/render.ts'
import { outlineTypeScript } from '../../src/api/typescript/typescript.ts'

const pagesOf = (text: string) =>
  apiPages(
    resolvePythonModules(new Map([['lamp.py', outlinePython(text)]])),
    languages.python.style,
  )

test('creates a page for each class, with a section for each method', () => {
  const [module, lamp] = pagesOf(`"""Lamps. And oil."""
class Base:
    def dim(self): ...
class Lamp(Base):
    """Burns. Long."""
    wick: str = "w"
    def light(self, at: int): "Lights. # no heading"
    def _hide(self): ...
`).filter(({ title }) => title !== 'lamp.Base')
  expect(module).toMatchObject({
    title: 'lamp',
    line: 1,
    description: 'Lamps.',
    text: '# `lamp`\n\nLamps. And oil.\n\n**Classes**\n\n- `lamp.Base`\n- `lamp.Lamp`: Burns.\n',
  })
  expect(lamp).toMatchObject({
    title: 'lamp.Lamp',
    path: 'lamp.py',
    line: 4,
    text:
      '# `lamp.Lamp`\n\n```python\nclass Lamp(Base)\n```\n\nBurns. Long.\n\n' +
      'Inherited from `lamp.Base`: `dim`.\n\n**Attributes**\n\n- `wick: str = "w"`\n\n' +
      '## `lamp.Lamp.light`\n\n```python\ndef light(at: int)\n```\n\nLights. # no heading\n',
  })
})

test('ends a sentence at its last word, and not at an abbreviation', () => {
  expect(firstSentence('Burns oil (e.g. paraffin). Long.')).toBe('Burns oil (e.g. paraffin).')
})

test('creates no page for a module that contains only classes', () => {
  expect(pagesOf('class Lamp: ...\n').map(({ title }) => title)).toEqual(['lamp.Lamp'])
})

test('turns headings of documentation into bold lines, except in code', () => {
  const [page] = pagesOf('class A:\n    """\n    ## Use\n    ```sh\n    # run\n    ```\n    """\n')
  expect(page!.text).toContain('\n**Use**\n```sh\n# run\n```\n')
})

test('removes the underlines of titles, which are no fences', () => {
  const text = 'The lamp\n~~~~~~~~\n\n~~~~\ncode\n~~~~\n'
  const [page] = pagesOf(`"""${text}"""\ndef light(): ...\n`)
  expect(page!.text).toContain('The lamp\n\n\n~~~~\ncode\n~~~~\n')
})

test('shows deprecations and aliases', () => {
  const pages = apiPages(
    resolvePythonModules(
      new Map([
        ['a/__init__.py', outlinePython('from .b import c')],
        ['a/b.py', outlinePython('@deprecated("use d")\ndef c(): ...\n')],
      ]),
    ),
    languages.python.style,
  )
  expect(pages[0]!.text).toBe(
    '# `a`\n\n## `a.c`\n\n```python\ndef c()\n```\n\nAlso `a.b.c`.\n\n**Deprecated**: use d\n',
  )
})

test('finds the first sentence of a text', () => {
  expect(firstSentence('Uses v1.2 of it.\nMore.')).toBe('Uses v1.2 of it.')
  expect(firstSentence('```\ncode\n```')).toBe('')
})

test('gives a value a section if its signature has another name', () => {
  const outline = outlineTypeScript('declare const NOTHING: symbol\nexport { NOTHING as nothing }')
  const manifest = '{"name":"lamp","types":"a.d.ts"}'
  const place = { name: 'lamp', manifest, paths: new Set(['a.d.ts']), pathOf: (it: string) => it }
  const modules = resolveNpmModules(new Map([['a.d.ts', outline]]), place)
  expect(apiPages(modules, languages.typescript.style)[0]!.text).toBe(
    '# `lamp`\n\n## `lamp.nothing`\n\n```typescript\nconst NOTHING: symbol\n```\n',
  )
})

test('shortens sections to signature, first sentence, notices and default', () => {
  const fence = (code: string) => `\`\`\`ts\n${code}\n\`\`\``
  const text = [
    '# `lamp.Lamp`',
    fence('class Lamp'),
    '**Attributes**',
    '- `size: number`: Its size.',
    '## `lamp.Lamp.light`',
    fence('light(\n  at: number,\n): void'),
    '**Deprecated**: use on',
    'Lights it. Then waits.',
    '## `lamp.Lamp.dim`',
    fence('dim?: boolean'),
    'Whether it dims',
    'Default: `true`',
    '**Classes**',
    '- `lamp.Lamp.Wick`',
  ].join('\n\n')
  expect(condenseMembers(text)).toBe(
    [
      '# `lamp.Lamp`',
      fence('class Lamp'),
      '**Attributes**',
      '- `size: number`: Its size.',
      '**Members**, shortened; the name of one returns all of it.',
      '- `light(at: number): void`: Lights it. **Deprecated**: use on\n' +
        '- `dim?: boolean`: Whether it dims. Default: `true`',
      '**Classes**',
      '- `lamp.Lamp.Wick`',
    ].join('\n\n'),
  )
})

test('names the modules that make up a module without symbols of its own', () => {
  const pages = (names: string[]) => {
    const aliases = names.map((name) => ({ name, of: `a.b.${name}` }))
    const module = { name: 'a.c', path: 'c.ts', documentation: '', symbols: [], unresolved: [] }
    return apiPages([{ ...module, aliases }], languages.typescript.style)
  }
  const [page] = pages(['one', 'two', 'three'])
  expect(page).toMatchObject({ title: 'a.c', text: '# `a.c`\n\nNames of `a.b`.\n' })
  expect(aliasedModules(page!.text)).toEqual(['a.b'])
  expect(pages(['one'])).toEqual([])
})
