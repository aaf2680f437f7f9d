import { expect, test } from 'bun:test'
import { toAbsoluteLinks } from '../../../src/formats/markdown/markdown-links.ts'

const at = { base: 'https://a.example/guide/body.md', page: 'https://a.example/guide/body/' }

function check(text: string, expected: string): void {
  expect(toAbsoluteLinks(text, at)).toBe(expected)
}

test('makes links and pictures absolute, relative to the source of the text', () => {
  check(
    'See [it](../api/x.md "X") and ![p](<img/p.png>).',
    'See [it](https://a.example/api/x.md "X") and ![p](<https://a.example/guide/img/p.png>).',
  )
  check(
    '[a](/top), [b](b_(c).md), [![i](i.svg)](t)',
    '[a](https://a.example/top), [b](https://a.example/guide/b_(c).md), ' +
      '[![i](https://a.example/guide/i.svg)](https://a.example/guide/t)',
  )
  check('[here](#part)', '[here](https://a.example/guide/body/#part)')
  check('[ref]: ../other "Other"', '[ref]: https://a.example/other "Other"')
  check(
    '<a class="b" href="x">y</a> <img src=\'z.png\'>',
    '<a class="b" href="https://a.example/guide/x">y</a> ' +
      "<img src='https://a.example/guide/z.png'>",
  )
})

test('keeps absolute links, code and text that is not a link', () => {
  for (const text of [
    '[a](https://b.example/x) <mailto:a@b.example> [m](mailto:a@b.example)',
    'call `x[0](y)` or ``a `](b)` c``',
    '```\n[a](b)\n```',
    '~~~ md\n[a]: b\n~~~',
    'f(x) = [1](',
    'a [b] (c)',
    '',
  ])
    check(text, text)
})

test('reads a hostile line in linear time', () => {
  const long = '[a](('.repeat(20_000) + '`'.repeat(20_000) + '<a '.repeat(20_000)
  expect(toAbsoluteLinks(long, at).length).toBeGreaterThan(long.length - 1)
})
