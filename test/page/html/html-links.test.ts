import { expect, test } from 'bun:test'
import { parseHtml } from '../../../src/page/html/html.ts'

const check = (source: string, text: string, url = 'https://x.org/docs/a/page.html') =>
  expect(parseHtml(source, 'page.html', url).text.trim()).toBe(text)

test('relative links and pictures become absolute', () => {
  check('<p><a href="../b/">b</a>', '[b](https://x.org/docs/b/)')
  check('<p><a href="/b?c=d#e">b</a>', '[b](https://x.org/b?c=d#e)')
  check('<p><a href="#e">b</a>', '[b](https://x.org/docs/a/page.html#e)')
  check('<p><a href="//y.org/b">b</a>', '[b](https://y.org/b)')
  check('<p>a <img src="c.png" alt="c">', 'a ![c](https://x.org/docs/a/c.png)')
})

test('a base of the page counts, one that is broken does not', () => {
  check('<base href="/v2/"><p><a href="b">b</a>', '[b](https://x.org/v2/b)')
  check('<base href="http://"><p><a href="b">b</a>', '[b](https://x.org/docs/a/b)')
})

test('what is absolute, mail and what is no address stay', () => {
  check('<p><a href="mailto:a@x.org">b</a>', '[b](mailto:a@x.org)')
  check('<p><a href="http://[">b</a>', '[b](http://[)')
  check('<p><a href="">b</a>', 'b')
})

test('pages of a folder keep their links', () =>
  check('<p><a href="../b.html">b</a>', '[b](../b.html)', 'file:///docs/a.html'))

test('a base that is longer than any address does not, since each link would repeat it', () => {
  check(`<base href="/${'v'.repeat(2000)}/"><p><a href="b">b</a>`, '[b](https://x.org/docs/a/b)')
})
