import { expect, test } from 'bun:test'
import { rewriteMarkdown, rewriteProse } from '../../src/document/markdown-lines.ts'

test('rewrites lines outside and inside fences by separate rules', () => {
  const text = 'a\n    ```js title\n    b\n    ```\n```\nc\n```\n'
  const shown = rewriteMarkdown(text, {
    prose: (line) => (line === 'a' ? null : line),
    opening: (line, options) => `${line}|${options}`,
    code: (line, options) => `${line}(${options})`,
  })
  expect(shown).toBe('    ```js title|js title\n    b(js title)\n    ```\n```|\nc()\n```\n')
})

test('rewrites the parts between fences', () => {
  const text = 'a\nb\n```\na\n```\n\nb\n    ~~~\nb'
  expect(rewriteProse(text, (prose) => `<${prose}>`)).toBe('<a\nb>\n```\na\n```\n<\nb>\n    ~~~\nb')
})
