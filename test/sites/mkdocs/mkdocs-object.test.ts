import { expect, test } from 'bun:test'
import { withObjects } from '../../../src/sites/mkdocs/mkdocs-text.ts'
import { siteText, type SiteSource } from '../../support/page/site-pages.ts'

const source: SiteSource = {
  generator: 'mkdocs',
  config: 'mkdocs.yml',
  files: {
    'mkdocs.yml':
      'plugins:\n  - mkdocstrings:\n      handlers:\n        python:\n          paths: [code]\n' +
      '          options:\n            heading_level: 3\n',
    'code/tool/__init__.py':
      'from typing import Annotated\nfrom annotated_doc import Doc\nfrom far import Base\n' +
      'class Lamp(Base):\n    """A lamp."""\n' +
      '    def __init__(self, color: Annotated[str, Doc("""\n        The **color**.\n        """)] = "red"):\n' +
      '        self.state: Annotated[dict, Doc("Its state.")] = {}\n' +
      '    def on(self):\n        """Turns on."""\n    def plain(self): ...\n',
  },
}
const shown = async (text: string) => (await siteText(source, text, 'docs/a.md')).trim()

test('replaces ::: by the object with its listed members', async () => {
  const text =
    '# T\n\n::: tool.Lamp\n    options:\n        members:\n            - on\n            - state\n' +
    '            - far\n\nEnd'
  expect(await shown(text)).toBe(
    '# T\n\n### `tool.Lamp`\n\n```python\nclass Lamp(Base)\nLamp(color: str = "red")\n```\n\n' +
      'A lamp.\n\n**Parameters**\n\n- `color` (`str`): The **color**.\n\n**Attributes**\n\n' +
      '- `state: dict`: Its state.\n\n#### `on`\n\n```python\ndef on()\n```\n\nTurns on.\n\n' +
      '`far` (API reference, not included)\n\n\nEnd',
  )
})

test('reads options on one line and from the configuration', async () => {
  const names = async (options: string) => {
    const text = await shown(`::: tool.Lamp\n    options:\n${options}`)
    return [...text.matchAll(/^#+ `(.+)`$/gm)].map(([line]) => line)
  }
  expect(await names('')).toEqual(['### `tool.Lamp`', '#### `on`'])
  expect(await names('      members: false\n')).toEqual(['### `tool.Lamp`'])
  expect(await names('      members: ["plain"]\n      heading_level: 1\n')).toEqual([
    '# `tool.Lamp`',
    '## `plain`',
  ])
  expect(await names('      show_if_no_docstring: true\n')).toEqual([
    '### `tool.Lamp`',
    '#### `on`',
    '#### `plain`',
  ])
})

test('keeps containers and code unchanged', () => {
  const text = '::: note\nText\n:::\n\n```md\n::: tool.Lamp\n```\n'
  expect(withObjects(text, { lookup: undefined, variables: new Map() })).toBe(text)
})

test('indents an object in a tab', async () => {
  const text = await shown('=== "A"\n\n    ::: far.x\n\n    Text\n')
  expect(text).toBe('A:\n\n`far.x` (API reference, not included)\n\n\nText')
})
