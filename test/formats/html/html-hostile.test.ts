import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseHtml } from '../../../src/formats/html/html.ts'
import { OgError } from '../../../src/platform/error.ts'
import { cpuMs } from '../../support/pages/cpu-time.ts'

const check = (source: string, text: string) => expect(parseHtml(source, 'x.html').text).toBe(text)

const nested = (tag: string, nTags: number) => `${`<${tag}>`.repeat(nTags)}text`

test('reads deeply nested HTML, and removes quotes and lists that are nested too deep', () => {
  check(nested('div', 20_000), 'text\n')
  check(nested('b', 20_000), 'text\n')
  expect(parseHtml(nested('blockquote', 100), 'x.html').text).toBe(`${'> '.repeat(24)}text\n`)
})

// Each of these inputs once took quadratic time, or made the output a hundred times larger.
const hostile: Record<string, string> = {
  'unclosed links': '<a>a'.repeat(10_000),
  'nested headers': `${'<header>'.repeat(10_000)}<h1>x`,
  'nested tabs': nested('div class=tabbed-set', 10_000),
  'nested navigation': `${'<nav>'.repeat(10_000)}</nav>x`,
  'unclosed paragraphs': '<p>a'.repeat(10_000),
  'unclosed cells': '<table><tr><td>a'.repeat(7000),
  'unclosed titles': '<h1>a'.repeat(10_000),
  ticks: `<code>${'`'.repeat(1_000_000)}a</code>`,
  'half links in a title': `<h1>a${'[](#'.repeat(250_000)}</h1>`,
  'line breaks in a mark': `<b>${'<br>'.repeat(10_000)}x</b>`,
  spaces: `<p>a${'<span> </span>'.repeat(10_000)}b`,
  'unclosed comments': `<p>a${'<!--'.repeat(10_000)}`,
  dashes: `<p>${'-'.repeat(1_000_000)}a`,
  'rows in rows': `<table>${'<tr><td><div>'.repeat(5000)}${'a'.repeat(50_000)}`,
  'lines in lines': `<pre>${'<span class=line>'.repeat(400)}${'a'.repeat(100_000)}</pre>`,
  'tabs in labels':
    `${'<div class=tabbed-set><div class=tabbed-labels><label>'.repeat(3000)}a` +
    '</label></div><div class=tabbed-content><p class=tabbed-block>b</div></div>'.repeat(3000),
  'closing tags of none': `${'<div>'.repeat(50_000)}a${'</i>'.repeat(50_000)}`,
  'spaces in the address of a cell': `<table><tr><td><a href="x${'\u00a0'.repeat(100_000)}y">a</a></table>`,
  'name of a picture': `<p>a<img src="x" alt="${'a.'.repeat(100_000)}-">`,
  'tags in a drawing': `<p>a<svg>${'<svg '.repeat(20_000)}`,
  'comments in a drawing': `<p>a<svg>${'<!--'.repeat(100_000)}`,
}

for (const [name, source] of Object.entries(hostile)) {
  test(`reads hostile HTML in bounded time: ${name}`, () => {
    let size = 0
    const spentMs = cpuMs(() => {
      try {
        size = parseHtml(source, 'x.html').text.length
      } catch (error) {
        expect(error).toBeInstanceOf(OgError)
      }
    })
    expect(size).toBeLessThan(20 * source.length)
    expect(spentMs).toBeLessThan(10_000)
  })
}

const tag = fc.constantFrom(
  'div',
  'p',
  'pre',
  'code',
  'table',
  'tr',
  'td',
  'ul',
  'ol start=x',
  'li',
  'a href="#"',
  'h1',
  'b',
  'i',
  'br',
  'nav',
  'header',
  'main',
  'article',
  'details',
  'summary',
  'dl',
  'dt class=sig',
  'img',
  'div class="tabbed-set"',
  'div class="tabbed-labels"',
  'label',
  'html',
  'head',
  'body',
  'title',
  'script',
  'template',
  'svg',
  'input type=checkbox',
  'caption',
  'blockquote',
  '!doctype html',
  '!--',
)
const markup = fc.array(
  fc.oneof(
    tag.map((name) => `<${name}>`),
    tag.map((name) => `</${name.split(' ')[0]}>`),
    fc.constantFrom(
      '<',
      '>',
      '&',
      '&amp;',
      '&#0;',
      '-->',
      '<![CDATA[',
      '\0',
      '\n',
      '"',
      '|',
      '`',
      '# ',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  ),
  { maxLength: 40 },
)

test('turns any markup into text with a final line break, or throws OgError', () => {
  fc.assert(
    fc.property(markup, (parts) => {
      try {
        const { text } = parseHtml(parts.join(''), 'x.html')
        expect(text).toEndWith('\n')
        expect(text).toMatch(/[\p{L}\p{N}]/u)
        expect(text.includes('\0') || text.includes('\r') || !text.isWellFormed()).toBe(false)
      } catch (error) {
        if (!(error instanceof OgError)) throw error
      }
    }),
    { numRuns: 300 },
  )
})

test('reads nested code lines only once', () => {
  check(
    '<pre><span class=line>a<span data-line>b</span></span><span class=line>c</span></pre>',
    '```\nab\nc\n```\n',
  )
  check(
    '<pre class=line><span class=line>a</span><span class=line>b</span></pre>',
    '```\na\nb\n```\n',
  )
})
