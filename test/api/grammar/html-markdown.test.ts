import { expect, test } from 'bun:test'
import { javadocHtmlToMarkdown } from '../../../src/api/grammar/html-markdown.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

const markdown = (html: string) => javadocHtmlToMarkdown(html, (name, body) => `[${name}${body}]`)

test('converts paragraphs, lists, code and entities', () => {
  expect(markdown('A &lt;b&gt;.\n<p>\n   New <b>bold</b>.\n<h2>Title</h2>\n<hr/>text')).toBe(
    'A <b>.\n\nNew **bold**.\n\n**Title**\n\ntext',
  )
  expect(markdown('<ul>\n <li>one\n   more\n <li>two<ol><li>x</ol></ul>\nend')).toBe(
    '- one\n  more\n- two\n\n  1. x\n\nend',
  )
  expect(markdown('a <pre class="x">\n  &lt;a&gt;\n    {@code b}\n</pre> c')).toBe(
    'a\n\n```java\n<a>\n  b\n```\n\nc',
  )
})

test('keeps only links to the web', () => {
  expect(
    markdown('<a href="https://x.dev">web</a> <a href="#a">here</a> {@x y} <!-- no -->.'),
  ).toBe('[web](https://x.dev) here [x y] .')
})

test('closes unclosed code and reads hostile input in linear time', () => {
  expect(markdown('<pre>a')).toBe('```java\na\n```')
  const start = usedCpuMs()
  for (const one of ['{@a ', '<li>', '<a ', '&a', '<pre>{', '<ul>', '<!--'])
    markdown(one.repeat(100_000))
  expect(usedCpuMs() - start).toBeLessThan(10_000)
})
