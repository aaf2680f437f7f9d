import { expect, test } from 'bun:test'
import { dropTargets, htmlToText } from '../../../src/search/excerpt/plain-html.ts'

function check(text: string, expected: string): void {
  expect(htmlToText(text)).toBe(expected)
}

test('writes links, images, abbreviations and emphasis as Markdown', () => {
  check('see <a href="/x" class="external" target="_blank">the <lamp></a>', 'see the <lamp>')
  check('see <a class="a" href="/x">the lamp</a>.', 'see [the lamp](/x).')
  check('<abbr title="Software Development Kit">SDK</abbr>s', 'SDK (Software Development Kit)s')
  check('<img src="/a.png" alt="a lamp"> and <img src="b.png">', '![a lamp](/a.png) and ')
  check('<strong>Trim</strong> <em>it</em> by <code>trim()</code>', '**Trim** *it* by `trim()`')
})

test('keeps the text of other elements and drops lines with only tags', () => {
  check('# Lamp<a name="lamp"></a>', '# Lamp')
  check('<font color="red">hot</font><br/>burns', 'hot burns')
  check('<div class="termy">\n\nLight it.\n\n</div>\n', '\nLight it.\n')
  check('One.\n\n<div>\n\nTwo.', 'One.\n\nTwo.')
})

test('keeps placeholders and code', () => {
  for (const text of [
    'arn:aws:rds:<region>:<account>',
    'List<String> of `<div>`',
    '```html\n<div>\n```',
    'a < b > c',
    'a \\<b> tag',
    '~~~\n<br>\n~~~\n',
    'x <- y',
    '```\na = "<br>"\n\n\n\nb = 1\n```\n',
  ])
    check(text, text)
})

test('scans a page of opening brackets only once', () => {
  const many = '<a '.repeat(20_000)
  expect(htmlToText(many).length).toBe(many.length)
})

test('drops targets on other sites, badges and links without text, outside code', () => {
  const check = (text: string, expected: string) => expect(dropTargets(text)).toBe(expected)
  check(
    'See [the guide](https://a.example/x "T") and [CORS](cors.md).',
    'See the guide and [CORS](cors.md).',
  )
  check('a\n[![build](https://b.example/x.svg)](https://c.example)\nb', 'a\nb')
  check('![How the parts fit together](a.png)', 'How the parts fit together')
  check('[x]: https://a.example\n[](#top)\nText', 'Text')
  check('`[a](https://a.example)`', '`[a](https://a.example)`')
  check('```\n[a](https://a.example)\n```', '```\n[a](https://a.example)\n```')
})
