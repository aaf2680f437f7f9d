import { expect, test } from 'bun:test'
import { asciidocToMarkdown } from '../../src/formats/asciidoc/asciidoc.ts'
import { markBoxTitle, findBoxes, endBox } from '../../src/document/box.ts'
import { toPlainMarkdown } from '../../src/formats/markdown/markdown-text.ts'
import { mdxToMarkdown } from '../../src/formats/markdown/mdx.ts'
import { rstToMarkdown } from '../../src/formats/rst/rst-markdown.ts'

/** Returns each box as its first and last line, with a `>` per level of nesting. */
function check(text: string, ...expected: string[]): void {
  const lines = text.split('\n')
  const boxes = findBoxes(text)
  const shown = boxes.map(({ from, to }) => {
    const depth = boxes.filter((other) => other.from < from && other.to > to).length
    const last = lines.slice(from, to).findLast((line) => line.trim() !== '')
    return `${'>'.repeat(depth)}${lines[from]!.trim()} … ${last!.trim()}`
  })
  expect(shown).toEqual(expected)
}

test('a box extends from its title to its end marker', () => {
  const out = [markBoxTitle('**A**\n\nb'), '']
  endBox(out)
  expect(out).toEqual(['**A**\t\n\nb', '\t'])
  endBox(out)
  expect(out).toEqual(['**A**\t\n\nb', '\t', '\t'])
  expect(findBoxes('a\n\nb')).toEqual([])
  expect(findBoxes('**A**\t\n\nb')).toEqual([])
  expect(findBoxes('\t\na\n\t')).toEqual([])
})

test('turns notes and tabs of every Markdown dialect into boxes', () => {
  check(toPlainMarkdown('!!! note "Mind"\n\n    a\n\n    b\n\nc'), '**Mind** … b')
  check(toPlainMarkdown('??? tip\n    a'), '**Tip** … a')
  check(
    toPlainMarkdown('!!! note\n    === "x"\n        b\n    === "y"\n        c\nd'),
    '**Note** … c',
    '>x: … b',
    '>y: … c',
  )
  check(toPlainMarkdown('/// note | Mind\n\na\n\n///\n\nb'), '**Mind** … a')
  check(
    toPlainMarkdown(':::: warning\na\n::: tip B\nc\n:::\nd\n::::\ne'),
    '**Warning** … d',
    '>**B** … c',
  )
  check(toPlainMarkdown('```{note}\na\n```\nb'), '**Note** … a')
  check(
    toPlainMarkdown('::: code-group\n```sh [npm]\na\n```\n```sh [pnpm]\nb\n```\n:::\nc'),
    'npm: … ```',
    'pnpm: … ```',
  )
  check(toPlainMarkdown('- a\n\n  !!! tip\n      b\n\n  c'), '**Tip** … b')
})

test('makes no box of an unclosed container, and ignores blank lines with tabs in the source', () => {
  check(toPlainMarkdown('::: tip\na\n\nb'))
  check(toPlainMarkdown('::: tip\na\n\t\nb\n:::\nc'), '**Tip** … b')
  check(rstToMarkdown('.. note::\n\n   a\n\t\n   b\n\nc'), '**Note** … b')
  check(toPlainMarkdown('!!! note\n    a\n    \t\n    b\n\nc'), '**Note** … b')
  check(rstToMarkdown('.. note::\n\n   a\n   \t\n   b\n\nc'), '**Note** … b')
})

test('removes a tab at the end of a source line, so that it does not start a box', () => {
  check(toPlainMarkdown('!!! note\n    ab\t\n    b\n\nc'), '**Note** … b')
  check(toPlainMarkdown('::: tip\n```\nab\t\n```\n:::\nc'), '**Tip** … ```')
  check(rstToMarkdown('.. note::\n\n   ab\t\n   b\n\nc'), '**Note** … b')
  check(asciidocToMarkdown('[NOTE]\n====\nab\t\nb\n====\nc'), '**Note** … b')
})

test('replaces tabs in roles, so that they neither start nor end a box', () => {
  check(toPlainMarkdown('!!! note\n    {ref}`\t`\n\n    b\n\nc'), '**Note** … b')
  check(toPlainMarkdown('!!! note\n    a {ref}`b\t`\n\n    b\n\nc'), '**Note** … b')
  check(rstToMarkdown('.. note::\n\n   :ref:`\t`\n\n   :ref:`b\t`\n\n   c\n\nd'), '**Note** … c')
})

test('turns rst directives into boxes, including nested ones', () => {
  check(rstToMarkdown('.. note:: a\n   b\n\n   c\n\nd'), '**Note** … c')
  check(
    rstToMarkdown(
      '.. tab-set::\n\n   .. tab-item:: A\n\n      .. tip:: t\n\n      .. code::\n\n         x\n\n' +
        '   .. tab-item:: B\n\n      b\n\nc',
    ),
    'A: … ```',
    '>**Tip** … t',
    'B: … b',
  )
  check(rstToMarkdown('* a\n\n  .. warning::\n\n     b\n\n  c'), '**Warning** … b')
  check(rstToMarkdown('.. code-tab:: js Node\n\n   x\n\ny'), 'Node: … ```')
  check(rstToMarkdown('.. rubric:: A\n\nb'))
})

test('turns AsciiDoc admonitions into boxes', () => {
  check(asciidocToMarkdown('[NOTE]\n====\na\n\nb\n====\nc'), '**Note** … b')
  check(
    asciidocToMarkdown('[WARNING]\n====\na\n\n[TIP]\n=====\nb\n=====\n====\nc'),
    '**Warning** … b',
    '>**Tip** … b',
  )
})

test('turns MDX components into boxes', () => {
  const boxes = (text: string, ...expected: string[]) =>
    check(toPlainMarkdown(mdxToMarkdown(text), { hasBoxes: true }), ...expected)
  boxes('<Note>a</Note>\n\nb', '**Note** … a')
  boxes('<Callout type="warn">\n  a\n\n  b\n</Callout>', '**Warning** … b')
  boxes('<Aside type="caution" title="Hot">a</Aside>', '**Hot** … a')
  boxes(
    '<Tabs>\n<TabItem value="a" label="A">\n\n:::tip\nx\n:::\n\n</TabItem>\n<TabItem value="b">y</TabItem>\n</Tabs>',
    'A: … x',
    '>**Tip** … x',
    'b: … y',
  )
  boxes(
    "<Tabs items={['A', 'B']}>\n  <Tabs.Tab>x</Tabs.Tab>\n  <Tabs.Tab>y</Tabs.Tab>\n</Tabs>",
    'A: … x',
    'B: … y',
  )
  boxes(
    '<Steps>\n<Step title="One">\n<Warning>a</Warning>\n</Step>\n</Steps>',
    '**One** … a',
    '>**Warning** … a',
  )
  boxes(
    '<CodeGroup>\n```sh npm install theme={null}\na\n```\n```js title="b.js"\nb\n```\n```js\nc\n```\n</CodeGroup>',
    'npm install: … ```',
    'b.js: … ```',
  )
  boxes('```sh tab="npm"\na\n```\n\n```js title="b"\nc\n```', 'npm: … ```')
  boxes('<hfoptions id="a">\n<hfoption id="one">\n\nx\n\n</hfoption>\n</hfoptions>', 'one: … x')
  boxes('<Note>\na\n\nb')
  boxes('<Note>\na\n\t\nb\t\nc\t<Card title="d"/>\n{"\t"}\n</Note>', '**Note** … **d**')
})
