import { expect, test } from 'bun:test'
import { parseHtml } from '../../../src/formats/html/html.ts'

const check = (source: string, text: string, url = 'https://x.org/docs/a/page.html') =>
  expect(parseHtml(source, 'page.html', url).text.trim()).toBe(text)

test('makes relative links and pictures absolute', () => {
  check('<p><a href="../b/">b</a>', '[b](https://x.org/docs/b/)')
  check('<p><a href="/b?c=d#e">b</a>', '[b](https://x.org/b?c=d#e)')
  check('<p><a href="#e">b</a>', '[b](https://x.org/docs/a/page.html#e)')
  check('<p><a href="//y.org/b">b</a>', '[b](https://y.org/b)')
  check('<p>a <img src="c.png" alt="c">', 'a ![c](https://x.org/docs/a/c.png)')
})

test('uses the base URL of the page, and ignores an invalid one', () => {
  check('<base href="/v2/"><p><a href="b">b</a>', '[b](https://x.org/v2/b)')
  check('<base href="http://"><p><a href="b">b</a>', '[b](https://x.org/docs/a/b)')
})

test('keeps absolute links, mail addresses and invalid URLs', () => {
  check('<p><a href="mailto:a@x.org">b</a>', '[b](mailto:a@x.org)')
  check('<p><a href="http://[">b</a>', '[b](http://[)')
  check('<p><a href="">b</a>', 'b')
})

test('keeps the links of local pages relative', () =>
  check('<p><a href="../b.html">b</a>', '[b](../b.html)', 'file:///docs/a.html'))

test('ignores a base URL longer than any real one, because each link repeats it', () => {
  check(`<base href="/${'v'.repeat(2000)}/"><p><a href="b">b</a>`, '[b](https://x.org/docs/a/b)')
})
