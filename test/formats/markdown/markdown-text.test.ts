import { expect, test } from 'bun:test'
import { toPlainMarkdown } from '../../../src/formats/markdown/markdown-text.ts'

/** Removes box marks, which test/document/box.test.ts tests, and blank lines left by them. */
const bare = (text: string) =>
  text
    .replaceAll('\t', '')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/\n*$/, '')
const check = (text: string, expected: string) =>
  expect(bare(toPlainMarkdown(text))).toBe(bare(expected))
const same = (text: string) => check(text, text)

test('shows captions of MyST code, and removes options of its directives', () => {
  check('```{code-block} py\n:caption: Lid\nx\n```', '**Lid**\n\n```py\nx\n```')
  check('```{mermaid}\ngraph TD\n```', '```mermaid\ngraph TD\n```')
  check('```{note}\n---\nclass: tip\n---\na\n```', '**Note**\n\na')
})

test('W-25: unindents MkDocs admonitions and tabs, and keeps their code', () => {
  check(
    '!!! note "Mind"\n\n    a\n\n    ```py\n    # b\n        c\n    ```\n\nd',
    '**Mind**\n\na\n\n```py\n# b\n    c\n```\n\nd',
  )
  check('??? warning\n    a\n', '**Warning**\n\na\n')
  check(
    '=== "npm"\n\n    ```sh\n    npm i\n    ```\n\n=== "pnpm"\n\n    b\n',
    'npm:\n\n```sh\nnpm i\n```\n\npnpm:\n\nb\n',
  )
  check('!!! note\n    === "a"\n        b\n\nc', '**Note**\n\na:\n\nb\n\nc')
  check('- item\n\n    !!! tip\n        a\n\n    b', '- item\n\n    **Tip**\n\n    a\n\n    b')
  same('a\n=== "b" ===\nc')
  same('!!! note')
})

test('W-25: converts MkDocs blocks between slashes', () => {
  check('/// note | Mind *it*\n\na\n\n///\nb', 'Mind *it*\n\na\n\nb')
  check(
    '//// tab | Python\n\n/// tip\n    open: True\n\na\n///\n\n////\n',
    'Python:\n\n**Tip**\n\na\n\n\n',
  )
  same('a // b\n///\n')
})

test('W-25: converts containers of VitePress and Docusaurus', () => {
  check('::: tip Read *this*\na\n:::\nb', 'Read *this*\n\na\n\nb')
  check(':::warning\na\n:::', '**Warning**\n\na\n')
  check('::: details Click {open}\na\n:::', '**Click**\n\na\n')
  check(':::note[Mind]\na\n:::', '**Mind**\n\na\n')
  check(
    '::: code-group\n\n```sh [npm]\na\n```\n\n```sh [pnpm]\nb\n```\n\n:::',
    '\nnpm:\n\n```sh\na\n```\n\npnpm:\n\n```sh\nb\n```\n',
  )
  check('  ::: tip\n  a\n  :::', '  **Tip**\n\n  a\n')
  same('a\n:::\nb')
  same('```\n::: tip\n:::\n```')
})

test('W-25: converts directives and roles of MyST', () => {
  check('```{note}\n:class: x\na\n```\nb', '**Note**\n\na\n\nb')
  check(
    '````{tip} Here\n```{code-block} python\n:linenos:\nx\n```\n````',
    '**Tip**\n\nHere\n\n```python\nx\n```\n',
  )
  check(':::{admonition} Mind\na\n:::', '**Mind**\n\na\n')
  check('::::{tab-set}\n:::{tab-item} A\na\n:::\n::::', 'A:\n\na\n')
  check('(label)=\n# A', '# A')
  check('{ref}`text <a>`, {doc}`/a`, {class}`~a.B` and `{ref}`', 'text, /a, `B` and `{ref}`')
  same('```{literalinclude} gone.py\n:lines: 1\n```')
  same('```{eval-rst}\n.. note:: a\n```')
})

test('removes scripts and tables of contents, and keeps text that resembles them', () => {
  check('<script setup>\nimport a\n</script>\n\n# A', '# A')
  check('[[toc]]\na', 'a')
  check('<a name="x"></a>\n## A\n{: .tip}\n{#b .c}\nb', '## A\nb')
  check('{: is kept}\n<a name="x">a</a>', '{: is kept}\na')
  check('<script>\nnever closed', 'never closed')
  check('a <script>b</script>', 'a')
  same('```vue\n<script setup>\n</script>\n```')
  same('a\u2028b\u00a0\n\n\n\n    code\n')
})

test('converts roles with unusual targets', () => {
  check('{ref}`a  <b>` {ref}`a <b> c` {ref}`a >b>` {ref}`<a>`', 'a a <b> c a >b> ')
  check('::: tip {a} {b}\nx\n:::', '**{a}**\n\nx\n')
})

test('turns unclosed containers into titles, up to the limit of open containers', () => {
  const lines = bare(toPlainMarkdown('::: tip\n'.repeat(300))).split('\n')
  expect(lines.filter((line) => line === '**Tip**').length).toBe(200)
  expect(lines.filter((line) => line === '::: tip').length).toBe(100)
})

test('removes attributes of ExDoc and kramdown at the end of a line, and icon roles', () => {
  check('> ### Note {: .tip}\n> text', '> ### Note\n> text')
  check('# A {:#a}', '# A')
  same('returns `{:ok, user}`')
  same('with {:ok, user}')
  check('{octicon}`plug;1.5em` Sphinx', ' Sphinx')
})

test('converts badges of VuePress to their text, except in code', () => {
  check(
    '### ga <Badge text="beta" type="warning"/> <Badge text=\'1.9+\' />',
    '### ga (beta) (1.9+)',
  )
  check('a <Badge type="tip" text="new"></Badge> b', 'a (new) b')
  check('a <Badge>3.2</Badge> b', 'a (3.2) b')
  same('`<Badge text="x"/>` and ``<Badge text="y"/> ` ``')
  same('<Badge type="tip" />')
})
