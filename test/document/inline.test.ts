import { expect, test } from 'bun:test'
import { plainMarkdown, plainRst, shorten } from '../../src/document/inline.ts'

const markdown = (source: string, expected: string) => expect(plainMarkdown(source)).toBe(expected)
const rst = (source: string, expected: string) => expect(plainRst(source)).toBe(expected)

test('reduces a line of Markdown to plain text', () => {
  markdown('**A** *b* ~~c~~ __d__ ***e***', 'A b c d e')
  markdown('[a](b "t") [c][d] ![e](f) <https://example.org>', 'a c e https://example.org')
  markdown('A <b>bold</b> tag, Map<string, T> and 2 < 3', 'A bold tag, Map<string, T> and 2 < 3')
  markdown('a &amp; b &#8212; c &unknown;', 'a & b — c &unknown;')
})

test('keeps characters that only resemble markup', () => {
  markdown('snake_case, 2 * 3 * 4, @scope/pkg, C++', 'snake_case, 2 * 3 * 4, @scope/pkg, C++')
  markdown('`**kwargs` and `` a`b `` and \\*stars\\*', '**kwargs and a`b and *stars*')
})

test('reduces a line of reStructuredText to plain text', () => {
  rst('The :func:`~kettle.heat.boil` of **hot** *water*', 'The boil of hot water')
  rst('``*args`` in `the guide <guide.html>`_ |x| [1]_ link_.', '*args in the guide x link.')
})

test('shortens text to one line, cut at a word', () => {
  expect(shorten(' a \n b ', 10)).toBe('a b')
  expect(shorten('one two three', 10)).toBe('one two…')
  expect(shorten('onetwothree', 6)).toBe('onetw…')
  expect(shorten('abcd😀efgh', 6)).toBe('abcd\ufffd…')
})
