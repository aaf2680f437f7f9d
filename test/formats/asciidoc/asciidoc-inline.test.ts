import { expect, test } from 'bun:test'
import { asciidocInlineToMarkdown } from '../../../src/formats/asciidoc/asciidoc-inline.ts'

const check = (line: string, expected: string) =>
  expect(asciidocInlineToMarkdown(line, { attributes: new Map([['v', '1.2']]) })).toBe(expected)

test('converts links, emphasis and attributes, and keeps code between backticks', () => {
  check('*a* and _b_, 2*3*4', '**a** and _b_, 2*3*4')
  check('`*a*` `+{x}+`', '`*a*` `{x}`')
  check('v{v} {unknown} a{nbsp}b', 'v1.2 {unknown} a b')
  check('\\{v} `a-\\{unknown}.yml`', '{v} `a-{unknown}.yml`')
  check(
    'link:a.html[A], https://x.org[X^], https://y.org',
    '[A](a.html), [X](https://x.org), https://y.org',
  )
  check('<<a>>, <<a,the a>>, xref:b.adoc#c[], xref:b.adoc[B]', 'a, the a, c, B')
  check('image:a/b.png["The b", 10]', '![The b](a/b.png)')
  check('[[id]]a kbd:[Ctrl] #b#', 'a Ctrl b')
  check(
    'term:cert-manager[^], term:pod[pods], a badge::[label=beta]',
    'cert-manager, pods, a (beta)',
  )
  check(
    '`pass:[__x]` a.b:c[d] std::x[1] mailto:a@b.c[me]',
    '`__x` a.b:c[d] std::x[1] mailto:a@b.c[me]',
  )
})

test('shows Java types, properties and links with an unknown prefix by their names', () => {
  const shown = (line: string) => asciidocInlineToMarkdown(line, { attributes: new Map() })
  expect(shown('a javadoc:org.x.Component[format=annotation] b')).toBe('a `@Component` b')
  expect(shown('javadoc:org.x.App#set(java.util.Map)[]')).toBe('`App.set(Map)`')
  expect(shown('javadoc:org.x.Outer$Inner[the inner type]')).toBe('the inner type')
  expect(shown('configprop:server.port[], configprop:my-app.port[format=envvar]')).toBe(
    '`server.port`, `MYAPP_PORT`',
  )
  expect(shown('the {url-x}/a/b.html[guide] and {url-x}[site]')).toBe('the guide and site')
})

test('keeps code in the text of a link', () => {
  const link = 'xref:a/b.adoc#c[the `run` method] and `xref:d[e]`'
  expect(asciidocInlineToMarkdown(link, { attributes: new Map() })).toBe(
    'the `run` method and `xref:d[e]`',
  )
})

test('converts typographic quotes', () => {
  expect(asciidocInlineToMarkdown('"`a`" and \'`b`\', `c`', { attributes: new Map() })).toBe(
    '“a” and ‘b’, `c`',
  )
})

test('converts macros in the text of a reference', () => {
  const line = 'by xref:a/b.adoc#c[making the javadoc:org.x.Context[] used in javadoc:org.x.App[]].'
  expect(asciidocInlineToMarkdown(line, { attributes: new Map() })).toBe(
    'by making the `Context` used in `App`.',
  )
})
