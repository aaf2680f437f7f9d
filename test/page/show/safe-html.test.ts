import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { escapeHtml, safeHtml } from '../../../src/page/show/safe-html.ts'

function check(unsafe: string, expected: string): void {
  expect(safeHtml(unsafe)).toBe(expected)
}

test('keeps listed elements and escapes text', () => {
  check('<p>a &amp; b &lt;c&gt; <kbd>d</kbd></p>', '<p>a &amp; b &lt;c&gt; <kbd>d</kbd></p>')
  check('<td colspan="2" onclick="a">b', '<td colspan="2">b</td>')
  check('a<br>b<hr/>', 'a<br>b<hr>')
})

test('reduces other elements to their text, or drops them', () => {
  check('<center>a</center>', 'a')
  check('<script>a</script>b<style>c</style><iframe>d</iframe>', 'b')
  check('<svg><p>a</p></svg><math><mi>b</mi></math>c', 'c')
  check('<form action="/x"><input value="a"><button>b</button></form>', 'b')
  check(
    '<img src="https://x.example/a.png" alt="A <b>" onerror="a">',
    '<span class="picture">A &lt;b&gt;</span>',
  )
  check('<img src="a.png">', '')
})

test('keeps links to the web, to mail and within the page, and drops other links', () => {
  for (const address of [
    'https://a.example/',
    'HTTP://a.example',
    'mailto:a@b.example',
    '#a',
    'a/b.md#c',
    '/a',
    '?a=b:c',
  ]) {
    check(`<a href="${address}">a</a>`, `<a href="${escapeHtml(address)}">a</a>`)
  }
  for (const address of [
    'javascript:alert(1)',
    'JaVaScRiPt:a',
    ' java\tscript:a',
    '\u0001javascript:a',
    'data:text/html,a',
    'vbscript:a',
    '&#106;avascript:a',
    'file:///etc/passwd',
    '//evil.example',
    '\\\\evil.example',
    'blob:a',
    '',
  ]) {
    check(`<a href="${address}">a</a>`, '<a>a</a>')
  }
})

test('drops foreign classes, ids and styles', () => {
  check('<p class="hit hljs-x here" id="q" style="color:red">a</p>', '<p class="hljs-x here">a</p>')
  expect(safeHtml('<h2 id="a">b</h2><h2 id="a">c</h2>', new Set(['a']))).toBe(
    '<h2 id="a">b</h2><h2>c</h2>',
  )
})

test('closes open elements, and ignores closing tags without an opening tag', () => {
  check('</div></article><b><i>a', '<b><i>a</i></b>')
  check('<a href="#a">b<a href="#c">d</a></a>', '<a href="#a">bd</a>')
  const deep = safeHtml('<div>'.repeat(10_000))
  expect(deep.match(/<div>/g)).toHaveLength(100)
})

const written = new RegExp(
  '^(?:[^<>"\']|</?[a-z][a-z0-9]*>|<[a-z][a-z0-9]*(?: [a-z]+="[^"<>\']*")+>)*$',
)

test('writes only allowed tags for any input', () => {
  const piece = fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    '/',
    '=',
    ' ',
    'a',
    'script',
    'svg',
    'on',
    'style',
    '<img src=x onerror=a>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '</',
    '<a href="',
    'javascript:',
    '\0',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const safe = safeHtml(pieces.join(''))
      expect(safe).toMatch(written)
      expect(safe).not.toMatch(/<(?!\/?(?:a|br)\b)|<[^>]* on|="\s*javascript:/)
    }),
    { numRuns: 2_000 },
  )
})
