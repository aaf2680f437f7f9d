import { expect, test } from 'bun:test'
import {
  codeBlocks,
  meanMetrics,
  siteMetrics,
  words,
} from '../../scripts/eval/extraction-metrics.ts'

const page = (source: string, text: string, codes: string[] = []) => ({ source, text, codes })

test('returns the words that a reader sees', () => {
  const check = (text: string, expected: string) => expect(words(text).join(' ')).toBe(expected)
  check('A [link](https://x.org/(a) "t"), **bold**<br/>&amp; `code_1`', 'a link bold code 1')
  check('<!-- no -->\n```python\nx = 1\n```\n', 'x 1')
  check('text <https://x.org>`_', 'text')
})

test('precision, recall and their mean count each occurrence of a word', () => {
  const [one] = siteMetrics([page('a b c d', 'a b b x')])
  expect(one).toMatchObject({ precision: 0.5, recall: 0.5, f1: 0.5, words: 4 })
  expect(siteMetrics([page('a', '')])[0]).toMatchObject({ precision: 0, recall: 0, f1: 0 })
})

test('finds fenced code line by line at any indentation', () => {
  const code = 'if x:\n    y\n\nz'
  const check = (text: string, found: [number, number]) => {
    const [one] = siteMetrics([page('', text, [code])])
    expect([one!.codeFound, one!.codeFoundLoosely]).toEqual(found)
  }
  check('```py\nif x:\n    y\n\nz\n```', [1, 1])
  check('> - ```\n>   if x:\n>       y\n>   z\n>   ```', [0, 1])
  check('  ```\n  if x:\n      y\n  z\n  ```', [1, 1])
  check('if x: y z', [0, 1])
  check('```\nif x:\n  y\nz\n```', [0, 1])
  expect(codeBlocks('````\n```\n````')).toEqual(['```\n'])
})

test('counts text as boilerplate if it is on three pages and in none of their sources', () => {
  const pages = siteMetrics(['a', 'b', 'c'].map((name) => page(name, `${name}\nEdit this page`)))
  expect(meanMetrics(pages)).toMatchObject({ boilerplate: 0.75, pages: 3, recall: 1 })
  const said = siteMetrics(Array.from({ length: 3 }, () => page('edit this', 'Edit this')))
  expect(meanMetrics(said).boilerplate).toBe(0)
})
