import { expect, test } from 'bun:test'
import { docusaurus } from '../../../src/page/generator/docusaurus.ts'

const site = {
  generator: 'docusaurus' as const,
  root: '',
  bases: [],
  variables: new Map<string, string>(),
  path: 'a.md',
  title: null,
  isShared: false,
}

function check(text: string, expected: string): void {
  expect(docusaurus.toMarkup!(text, { path: 'a.md', site })).toBe(expected)
}

test('converts code in components to fences', () => {
  check(
    'a\n<CodeBlock language="bash" title="shell">\n{`npx x --version ${v()}\n\\`y\\``}\n</CodeBlock>\nb',
    'a\n```bash title="shell"\nnpx x --version ${v()}\n`y`\n```\nb',
  )
  for (const text of [
    '<CodeBlock>{code}</CodeBlock>',
    '```mdx\n<CodeBlock>{`a`}</CodeBlock>\n```',
  ]) {
    check(text, text)
  }
})

test('names the language and title of the players of React Native', () => {
  check('```SnackPlayer name=Hello%20World&ext=js\nx\n```', '```js title="Hello World"\nx\n```')
  check(
    '- a\n\n    ```SnackPlayer name=A\n    x\n    ```',
    '- a\n\n    ```tsx title="A"\n    x\n    ```',
  )
  check('```md\n```SnackPlayer name=A\n```', '```md\n```SnackPlayer name=A\n```')
})
