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
