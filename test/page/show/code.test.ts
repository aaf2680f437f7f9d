import { expect, test } from 'bun:test'
import { asciidocToMarkdown } from '../../../src/formats/asciidoc/asciidoc.ts'
import { terminalText, markCallouts } from '../../../src/page/show/code.ts'
import { renderPageHtml } from '../../../src/page/show/page-html.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

function check(text: string, expected: string): void {
  expect(renderPageHtml({ text, markup: 'markdown' }).replace(/\n/g, '')).toBe(expected)
}

test('displays the name of a file that could not be included', () =>
  check(
    '```{literalinclude} a/b.py\n:start-after: x\n```',
    '<p><code>literalinclude: a/b.py</code></p>',
  ))

test('removes HTML colours from a terminal session, and keeps other HTML as code', () => {
  check(
    '```console\n$ <font color="#4E9A06">fastapi</font> <u style="a">dev</u> &lt;x&gt;\n```',
    '<pre tabindex="0"><code class="hljs"><span class="hljs-meta">$ </span>' +
      '<span>fastapi dev &lt;x&gt;</span></code></pre>',
  )
  expect(terminalText('<font>a</font>', 'html')).toBe('<font>a</font>')
  expect(terminalText('a < b &lt; c', 'console')).toBe('a < b &lt; c')
})

test('displays callouts as the numbers of the list below', () => {
  const text = asciidocToMarkdown(
    '[source,ruby]\n----\na # <1>\nb # <2> <3>\nc\n----\n<1> One\n<2> Two',
  )
  const callout = (n: number) => `<span class="callout">${n}</span>`
  check(
    text,
    `<pre tabindex="0"><code class="hljs">a <span class="hljs-comment"># ${callout(1)}</span>` +
      `b <span class="hljs-comment"># ${callout(2)} ${callout(3)}</span>c</code></pre>` +
      '<ol><li>One</li><li>Two</li></ol>',
  )
  for (const code of ['a&lt;1&gt;', 'a &lt;1&gt; b', 'a &lt;b&gt;', 'a &lt;123&gt;']) {
    expect(markCallouts(code)).toBe(code)
  }
})

test('reads callouts in the middle of lines in linear time', () => {
  const began = usedCpuMs()
  expect(markCallouts(` ${'&lt;1&gt; '.repeat(20_000)}x`)).not.toContain('callout')
  expect(usedCpuMs() - began).toBeLessThan(1000)
})

test('displays code with a file name in a box with that name', () => {
  const shown = (opening: string) =>
    renderPageHtml({ text: `${opening}\na\n\`\`\`\n`, markup: 'markdown' }).replace(/\n/g, '')
  const code = '<pre tabindex="0"><code class="hljs">a</code></pre>'
  expect(shown('```text title="b/<c>.js" {1}')).toBe(
    '<div class="tab">' + `<p class="note-title">b/&lt;c&gt;.js</p>${code}</div>`,
  )
  expect(shown("```text filename='b.js'")).toContain('>b.js<')
  expect(shown('```text subtitle="b"')).toBe(code)
})
