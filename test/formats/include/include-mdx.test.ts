import { expect, test } from 'bun:test'
import { expandIncludes, includeCandidates } from '../../../src/references/include.ts'
import { hasMdxImport } from '../../../src/formats/include/include-mdx.ts'

const files: Record<string, string> = {
  'docs/_part.mdx':
    "---\ntitle: x\n---\nimport B from './_inner.md';\n\nFor {props.os}.\n\n<B />\n",
  'docs/_inner.md': 'Inner.\n',
  'src/app.js': '  run()\n',
  'docs/regions.ts': 'one()\n// #region a\ntwo()\n// #endregion a\n',
  'docs/sections.md':
    '<section id="a">\nFirst.\n</section>\n<section id="b">\nSecond.\n</section>\n',
}

async function check(source: string, expected: string): Promise<void> {
  const read = async (path: string) => files[path] ?? null
  const from = 'docs/a.mdx'
  const text = await expandIncludes(source, { files: { from, read }, dialect: 'mdx' })
  expect(
    text
      .replace(/^import .*\n/gm, '')
      .replace(/\n{2,}/g, '\n')
      .trim(),
  ).toBe(expected)
}

test('shows an imported part in place, with its properties and its own parts', async () => {
  await check('import A from \'./_part.mdx\';\n\n<A os="Linux" />\n', 'For Linux.\nInner.')
  await check(
    "import A from './\\_part.mdx'; import C from 'c';\n  <A\n    os=\"x\"\n  />\nafter",
    'For x.\n  Inner.\nafter',
  )
  await check("import A from '@site/docs/_inner.md'\n<A></A>", 'Inner.')
})

test('shows a file that is imported as raw text in a code fence', async () => {
  await check(
    'import Code from \'!!raw-loader!../src/app.js\';\n<CodeBlock language="jsx" title="a">{Code}</CodeBlock>',
    '`a`\n```jsx\nrun()\n```',
  )
  await check(
    "import code from '/src/app.js?raw'\n<Code code={code.replace(/a/g, ' ')} lang=\"js\" />",
    '```js\nrun()\n```',
  )
  await check(
    "import Code from '../src/app.js?raw'\n<CodeBlock>\n{Code}\n</CodeBlock>",
    '<CodeBlock>\n```js\nrun()\n```\n</CodeBlock>',
  )
})

test('shows the files that a component has as values, each below its name', async () => {
  await check(
    "import react from './_inner.md'\nimport app from '../src/app.js?raw'\n" +
      "<Demo\n  code={{\n    react,\n    files: { 'src/a.js': app },\n  }}\n  size={x}\n/>",
    '**react:**\nInner.\n**src/a.js:**\n```js\nrun()\n```',
  )
})

test('keeps components, fenced code and missing parts unchanged', async () => {
  for (const rest of ['<Other />', '```jsx\n<A />\n```', '<A /> and text', '<A>\nx\n</A>']) {
    await check(`import A from './_part.mdx'\n${rest}`, rest)
  }
  await check("import A from './_none.mdx'\n<A />", '<A />')
  expect(hasMdxImport("import A from './a.js'")).toBe(false)
})

test('lists the files that may be included', async () => {
  const list = await includeCandidates("import A from '@site/x/_a.mdx'\n<A />", {
    from: 'docs/b.mdx',
    dialect: 'mdx',
  })
  expect(list).toEqual([['docs/x/_a.mdx', 'x/_a.mdx']])
})

test('shows the file, region or section of an include of Fumadocs', async () => {
  await check('<include>./_inner.md</include>', 'Inner.')
  await check(
    '<include cwd meta=\'title="app.js"\'>\n  ./src/app.js\n</include>\nafter',
    '`app.js`\n```js\nrun()\n```\nafter',
  )
  await check('  <include lang="ts">regions.ts#a</include>', '```ts\n  two()\n  ```')
  await check('<include>sections.md#b</include>', 'Second.')
  await check('`<include>` tag', '`<include>` tag')
  await check('<include>./missing.md</include>', '<include>./missing.md</include>')
})
