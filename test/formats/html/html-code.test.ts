import { expect, test } from 'bun:test'
import { preToFence } from '../../../src/formats/html/html-code.ts'
import { htmlToMarkdown } from '../../../src/formats/html/html-markdown.ts'
import { htmlElement } from '../../support/pages/html-element.ts'

const check = (body: string, expected: string) =>
  expect(preToFence(htmlElement(body, 'pre'))).toBe(expected)

const language = (body: string) => preToFence(htmlElement(body, 'pre')).split('\n')[0]!.slice(3)

const span = (content: string, expected: string) => {
  const paragraph = htmlElement(`<p>x <code>${content}</code></p>`, 'p')
  expect(htmlToMarkdown(paragraph).trim()).toBe(`x ${expected}`.trim())
}

test('keeps white space in a listing, without blank lines around it', () => {
  check('<pre>\n\n  a\n\n    b  \n\n</pre>', '```\n  a\n\n    b\n```')
  check('<pre>a<br>b<br><br>c</pre>', '```\na\nb\n\nc\n```')
  check('<pre> \n\t</pre>', '')
})

test('restores the lines of Expressive Code, hljs and Doxygen, and removes numbers of Chroma', () => {
  check(
    '<pre><code><div class="ec-line">a</div><div class="ec-line">  b</div></code></pre>',
    '```\na\n  b\n```',
  )
  check(
    '<pre><table><tr><td class="hljs-ln-code">a</td></tr><tr><td class="hljs-ln-code">b</td></tr></table></pre>',
    '```\na\nb\n```',
  )
  check(
    '<pre><code><span><span style="white-space:pre;user-select:none">1</span><span>a\n</span></span><span>b</span></code></pre>',
    '```\na\nb\n```',
  )
  const listing = htmlElement(
    '<article><p>x</p><div class="fragment"><div class="line">&nbsp;int a;</div>\n<div class="line">&nbsp;&nbsp;b;</div>\n</div></article>',
    'article',
  )
  expect(htmlToMarkdown(listing).trim()).toBe('x\n\n```\nint a;\n b;\n```')
})

test('makes the fence longer than any fence in the code', () => {
  check('<pre>a ``` b\n`````</pre>', '``````\na ``` b\n`````\n``````')
})

test('restores the lines that a highlighter turned into elements', () => {
  for (const line of ['class="line"', 'class="token-line x"', 'data-line="1"']) {
    check(`<pre><code><div ${line}>a</div><div ${line}>  b</div></code></pre>`, '```\na\n  b\n```')
  }
  check('<pre><ol><li>a</li><li>  b</li></ol></pre>', '```\na\n  b\n```')
  // Line elements with line breaks between them.
  check('<pre><span class="line">a</span>\n<span class="line">b</span></pre>', '```\na\nb\n```')
  check(
    '<pre><span class="line">a</span>\nb\n<span class="line">c</span></pre>',
    '```\na\nb\nc\n```',
  )
  // A single line element proves nothing. If they are nested, the outer ones are lines.
  check('<pre><span class="line">a</span>b</pre>', '```\nab\n```')
  check(
    '<pre><span class="line">a<span class="line">b</span></span><span class="line">c</span></pre>',
    '```\nab\nc\n```',
  )
})

test('finds the language on the code, its pre, two enclosing elements, or the table of line numbers', () => {
  expect(language('<pre><code class="language-js">a</code></pre>')).toBe('js')
  expect(language('<pre class="lang-TS x">a</pre>')).toBe('ts')
  expect(language('<div class="highlight-source-c++"><pre>a</pre></div>')).toBe('c++')
  expect(language('<div class="highlight-python notranslate"><div><pre>a</pre></div></div>')).toBe(
    'python',
  )
  expect(language('<div class="language-go"><div><div><pre>a</pre></div></div></div>')).toBe('')
  expect(language('<pre class="brush: java; gutter">a</pre>')).toBe('java')
  expect(language('<pre data-language="f#">a</pre>')).toBe('f#')
  expect(
    language(
      '<div class="language-c"><table class="highlighttable"><tr><td><div><pre>a</pre>' +
        '</div></td></tr></table></div>',
    ),
  ).toBe('c')
})

test('uses the language of the nearest element, and ignores values that mean no language', () => {
  expect(
    language('<div class="language-a"><pre class="language-b"><code>x</code></pre></div>'),
  ).toBe('b')
  expect(language('<pre class="language-a"><code class="language-b">x</code></pre>')).toBe('b')
  for (const none of ['none', 'text', 'plaintext', 'default', 'nohighlight', 'no-highlight']) {
    expect(language(`<div class="language-sh"><pre class="language-${none}">a</pre></div>`)).toBe(
      'sh',
    )
    expect(language(`<pre class="language-${none}">a</pre>`)).toBe('')
  }
  expect(language('<pre data-lang="two words">a</pre>')).toBe('')
  expect(language(`<pre class="language-${'x'.repeat(31)}">a</pre>`)).toBe('')
  expect(language(`<pre data-lang="${'x'.repeat(31)}">a</pre>`)).toBe('')
  expect(language('<pre class="my-language-js">a</pre>')).toBe('')
})

test('writes a code span on one line, between more backticks than it contains', () => {
  span('a', '`a`')
  span(' a\n  <b>b</b> ', '`a b`')
  span('a ` b', '`` a ` b ``')
  span('``', '``` `` ```')
  span(' ', '')
})
