import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { hasComponents, mdxToMarkdown } from '../../../src/formats/markdown/mdx.ts'
import { growthLimitFor } from '../../../src/document/growth.ts'
import { countPageLeftovers } from '../../../src/page/leftover.ts'
import { parseMarkdown, parseMdx } from '../../../src/formats/markdown/parse-markdown.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

const check = (text: string, expected: string) => expect(mdxToMarkdown(text)).toBe(expected)
const same = (text: string) => check(text, text)

test('W-25: removes imports, exports and comments', () => {
  check('import A from "a"\nimport {\n  B,\n  C,\n} from \'b\';\nimport "c"\n\n# A', '\n# A')
  check('export const a = {\n  b: "}",\n\n  c: [1],\n}\nexport default B\n\na', '\na')
  check('a {/* b\nc */} d', 'a  d')
  check('a{" "}b {\'c\'}', 'a b c')
})

test('W-25: replaces components with their unindented content', () => {
  check(
    '<Tabs>\n  <TabItem value="a" label="A b">\n\n    ```sh\n    <X>\n      y\n    ```\n\n' +
      '  </TabItem>\n</Tabs>\nend',
    '\nA b:\t\n\n\n```sh\n<X>\n  y\n```\n\t\nend',
  )
  check('See <Link to="/a">it</Link>, <>b</>!', 'See it, b!')
  check('<Steps.Step title={"One"}>\na\n</Steps.Step>', '**One**\t\n\na\n\t')
  check('<div className="x">\n  a\n</div>', '\na\n')
  check('<ParamField path="id" type="string">\n  It.\n</ParamField>', '\n`id` string\n\nIt.\n')
})

test('reads fences of mdx-code-block as MDX, and pages that import between paragraphs', () => {
  const shown = (text: string) => {
    const { text: page } = parseMarkdown(text, {
      path: 'a.md',
      url: 'x:/',
      growth: growthLimitFor(9),
    })
    return page.replace(/[\t\n]+/g, '\n').trim()
  }
  const code = '```js\nimport a from "a"\n```'
  const tabs = `<Tabs>\n<TabItem value="x">\n\n${code}\n\n</TabItem>\n</Tabs>`
  expect(shown(`a\n\n\`\`\`\`mdx-code-block\n${tabs}\n\`\`\`\`\nb`)).toBe(`a\nx:\n${code}\nb`)
  const example = `\`\`\`\`\`md\n\`\`\`\`mdx-code-block\nb\n\`\`\`\`\n\`\`\`\`\``
  expect(shown(example)).toBe(example)
  expect(shown("a\n\nimport B from '@site/b.md'\n\nc")).toBe('a\nc')
  expect(shown('<head>\n  <title>x</title>\n</head>\n\n# A')).toBe('# A')
})

test('keeps a component within its list item', () => {
  check(
    '1. a\n\n   <Note>\n     b\n   </Note>\n\n2. c',
    '1. a\n\n   **Note**\t\n\n   b\n\t\n\n2. c',
  )
  check(
    '- a\n  <Tabs>\n    <Tab title="x">\n      b\n    </Tab>\n  </Tabs>\n- c',
    '- a\n\n  x:\t\n\n  b\n\t\n- c',
  )
})

test('does not box a component after other text, and replaces an empty one with its title', () => {
  check('a <Note>b</Note> c', 'a b c')
  check('| <Card title="a">b</Card> |', '| \n\n**a**\n\nb |')
  check('<Card title="a" href="/b"></Card>\n\nc', '\n**[a](/b)**\n\n\nc')
  check('<Tab title="a">\n\n\n</Tab>b', 'a:\n\n\n\nb\n')
})

test('reads a line with very many tags only once', () =>
  check('.<Note>'.repeat(500_000), '.'.repeat(500_000)))

test('turns code in attributes into a fence', () =>
  check(
    '<CodeBlock\n  language="js"\n  code={`a = {\n  b: \\`\\`\n}`}\n/>',
    '\n```js\na = {\n  b: ``\n}\n```\n',
  ))

test('keeps text that only resembles a component', () => {
  same('Array<T>, `<A>`, \\<A>, a < b, <kbd>x</kbd> and <A b')
  same('```jsx\nimport a from "a"\n<A>\n{/* b */}\n```')
  same('import a file\n\nexport it\n\n{props.a}')
})

test('keeps fence content unchanged, and never throws', () => {
  const piece = fc.constantFrom(
    '<A>',
    '</A>',
    '<A b="',
    '{/*',
    '*/}',
    '`',
    '\n',
    '  ',
    'a',
    '{',
    '}',
    'import a from "a"\n',
    'export const a = {\n',
    '<B c={`x`} />',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const code = pieces.join('').replaceAll('`', '').replace(/\n\s*/g, '\n')
      const text = mdxToMarkdown(`# A\n\n\`\`\`\n${code}\n\`\`\`\n\n${pieces.join('')}`)
      expect(text).toStartWith(`# A\n\n\`\`\`\n${code}\n\`\`\`\n`)
    }),
    { numRuns: 200 },
  )
})

test('labels conditional content, also below each heading in it', () => {
  const shown = (source: string) =>
    mdxToMarkdown(source)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('\n')
  expect(shown('<AppOnly>\n\n## Fonts\n\ntext\n\n</AppOnly>\n\n## Next\n')).toBe(
    '**App Router only**\n## Fonts\n**App Router only**\ntext\n## Next',
  )
  expect(shown('Use <PagesOnly>`next/head`</PagesOnly>.')).toBe(
    'Use (Pages Router only) `next/head`.',
  )
  expect(shown('<AndroidDeviceOnly>\n\nx\n\n</AndroidDeviceOnly>')).toBe(
    '**Android Device only**\nx',
  )
})

test('reads a .md page as MDX if a component occupies whole lines', () => {
  for (const text of [
    'a\n\n<FixCard\n  title="x"\n/>\n',
    '<Foo>\n\na\n\n</Foo>',
    '<Foo a="b" />',
    '{/* note */}\na',
    'by <AppOnly>a</AppOnly>',
    '<ins style={{a: 1}} />',
    "import A from 'a'; import B from 'b';\n\na",
  ])
    expect([text, hasComponents(text)]).toEqual([text, true])
  for (const text of [
    'Say `<Foo>`',
    '<Foo>\n\na',
    '<TABLE>\n</TABLE>',
    '```jsx\n<Foo />\n```',
    '    <Foo />',
    'a <b> c',
    '`<AppOnly>`',
  ])
    expect([text, hasComponents(text)]).toEqual([text, false])
})

test('takes linear time to look for components', () => {
  const started = usedCpuMs()
  for (const piece of [
    '<Aa\n',
    '<Aaaaaaaaa',
    '<AppOnly>x',
    '<a className=',
    '{/*',
    '</Aa>\n<Ab>\n',
  ]) {
    hasComponents(`<Aq\n${piece.repeat(20_000)}`)
  }
  expect(usedCpuMs() - started).toBeLessThan(2000)
})

test('takes the title that an MDX page exports, and leaves the exports of Markdown as text', () => {
  const text = "export const title = 'Tabs'\n\n<Note>a</Note>\n"
  const file = { path: 'a', url: 'a', growth: growthLimitFor(text.length) }
  const { fallback, text: shown } = parseMdx(text, file)
  expect(fallback).toEqual({ title: 'Tabs', description: null })
  expect(shown).not.toContain('export')
  const markdown = parseMarkdown('```js\nexport const a = 1\n```\n<!-- b -->', file)
  expect(markdown.text).toContain('export const a = 1')
  expect(markdown.text).not.toContain('<!--')
  expect(markdown.fallback).toBeUndefined()
})

test('keeps a component that shows computed data, and counts it as a leftover', () => {
  const text = mdxToMarkdown('# A\n\n<Chart\n  rows={rows}\n/>\n\nSee <Logo of={logo} /> here.\n')
  expect(text).toContain('\n<Chart rows={rows} />\n')
  expect(text).toContain('See  here.')
  const page = { path: 'a.mdx', title: 'A', text, markup: 'markdown' as const }
  expect(countPageLeftovers(page)).toMatchObject({
    components: 1,
    example: '<Chart rows={rows} />',
  })
})

test('keeps components without text as leftovers, except pictures', () => {
  check('<PackageManagers pkg="a" dev />', '\n```sh\nnpm install -D a\n```\n')
  check('<PackageManagers pkg="a" exec="add b" />', '\n```sh\nnpx a add b\n```\n')
  check('<PackageManagers type="create" pkg="a" />', '\n```sh\nnpm create a\n```\n')
  check('<Packages name="a" />', '\n<Packages name="a" />\n')
  check('<Empty rows={x}></Empty>', '\n<Empty rows={x}></Empty>\n')
  check('a <Yes/> b <Since v="3.4" /> <Icon name="c" />', 'a <Yes/> b 3.4')
  check('<Spacer />\n\n<Image src="a.png" />', '\n')
  check("<Code code={'a ' + b + 'c'} />", "\n<Code code={'a ' + b + 'c'} />\n")
})

test('labels tabs by the values that their group declares', () =>
  check(
    "<Tabs values={[{label: 'A + b', value: 'a-b'}, {label: 'C', value: 'c'}]}>\n<TabItem value='c'>\n1\n</TabItem>\n<TabItem value='a-b'>\n2\n</TabItem>\n</Tabs>",
    '\nC:\t\n\n1\n\t\nA + b:\t\n\n2\n\t',
  ))

test('keeps statements inside the attributes of a component', () =>
  check(
    '<Variants lang="mdx" code={`\nexport const a = 1\n\n<Code code={a} />\n`} />',
    '\n```mdx\nexport const a = 1\n\n<Code code={a} />\n```\n',
  ))

test('shows the texts that the page exports and passes to a component', () =>
  check(
    "export const code = `\na \\`b\\`\n`\n\nexport const n = 1\n\n<Code code={code} lang='js' />",
    '\n\n```js\na `b`\n```\n',
  ))

test('converts each multi-line literal of an unknown component to code', () =>
  check(
    '<Variants\n  imports={`\n    import a\n  `}\n  settings={`\n    a()\n  `}\n/>',
    '\n```\nimport a\n```\n\n```\na()\n```\n',
  ))

test('converts a template literal to code, in the language of its component', () => {
  check(
    '<CodeBlock language="tsx">\n  {`import a from "a";\n\nexport default () => <h1>{a}</h1>`}\n</CodeBlock>',
    '\n```tsx\nimport a from "a";\n\nexport default () => <h1>{a}</h1>\n```\n',
  )
  check('<CodeBlock>{`npm i`}</CodeBlock>', '\n```\nnpm i\n```\n')
  check(
    'Use {`<Foo bar={1} />`} and {"<T>"} or {`a \\` b`}',
    'Use `<Foo bar={1} />` and `<T>` or a ` b',
  )
  check('<pre>{`\n<div>\n`}</pre>', '<pre>\n&lt;div>\n</pre>')
  check('| a | {`x | y`} |', '| a | x \\| y |')
  same('{`never closed')
})

test('reads the elements of an HTML table as text of its cells', () => {
  check(
    '<table className="t">\n<tr>\n<td>\n  <div style={{ a: 1 }}>\n    {"[\'x\']"}\n  </div>\n</td>\n</tr>\n</table>',
    '<table className="t">\n<tr>\n<td>\n  <div style={{ a: 1 }}>\n    [\'x\']\n  </div>\n</td>\n</tr>\n</table>',
  )
})

test('closes a fence by an indented fence', () => {
  check('<A>\n```js\nx\n    ```\n</A>\nb', '\n```js\nx\n```\n\nb')
})

test('keeps the literal values of an unknown component in a sentence', () => {
  check(
    'Since <Since v="3.4.0" /> it works <Icon name="star" size="2" />.',
    'Since 3.4.0 it works .',
  )
})

test('converts components and literals within a quote and a list', () => {
  check(
    'a\n\n> <Code lang="js">{`if (a) {\n>   b\n> }`}</Code>\n>\n> c\n\nd',
    'a\n\n> ```js\n> if (a) {\n>   b\n> }\n> ```\n>\n>\n> c\n\n\nd',
  )
  check(
    '- a\n\n  <Code lang="js">\n    {`x\n  y`}\n  </Code>',
    '- a\n\n  ```js\n  x\n    y\n  ```\n',
  )
  check('<Card\n  title="b"\n>\n  c\n</Card>', '**b**\t\n\nc\n\t')
})

test('reads tagged and escaped literals as JavaScript does', () => {
  check('<Code lang="js">{String.raw`a\\n`}</Code>', '\n```js\na\\n\n```\n')
  check('<Code className="language-py">{dedent`\n  a\n  b\n`}</Code>', '\n```py\na\nb\n```\n')
  check('<Code lang="js">{"a\\nb"}</Code>', '\n```js\na\nb\n```\n')
})

test('keeps the short name, default and state of an option, and the words of other attributes', () => {
  check('<Option name="--x" short="-x" default="1" required />', '\n`--x` `-x` 1 required\n')
  check('<Prop name="a" defaultValue={42} since="1.2" />', '\n`a` 42 since 1.2\n')
  check('<Compat.Table feature="grid layout" />', '\ngrid layout\n')
  check('<ClientOnly>\n\na\n\n</ClientOnly>', '\n\na\n')
})
