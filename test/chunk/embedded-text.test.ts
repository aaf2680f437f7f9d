import { expect, test } from 'bun:test'
import { embeddedText, embeddedTextFormatter } from '../../src/chunk/embedded-text.ts'

type Input = { title?: string; headings?: string[]; text?: string }

function check(name: string, input: Input, expected: string) {
  const { title = 'T', headings = [], text = 'body' } = input
  test(name, () => expect(embeddedText({ title }, { headings, text })).toBe(expected))
}

check('title, path, body', { headings: ['A', 'B'], text: '\n body\n\n' }, 'T > A > B\nbody')
check(
  'writes a first heading that equals the title only once',
  { headings: ['T', 'B'] },
  'T > B\nbody',
)
check('writes the title alone', {}, 'T\nbody')
check('writes neither title nor heading if both are empty', { title: ' ' }, 'body')
check('writes the heading without a title', { title: '', headings: ['A'] }, 'A\nbody')
check(
  'writes title and headings on one line',
  { title: 'T\n t', headings: ['T t', 'A\tB'] },
  'T t > A B\nbody',
)
check(
  'truncates a huge heading by bytes, between code points',
  { headings: ['😀'.repeat(1e5)] },
  `T > ${'😀'.repeat(23)}…\nbody`,
)
check(
  'keeps the title and nearest heading of a long path',
  { headings: ['a'.repeat(90), 'b'.repeat(90), 'c'.repeat(90)] },
  `T > ${'b'.repeat(90)} > ${'c'.repeat(90)}\nbody`,
)

test('drops the targets of links and keeps their texts', () => {
  const body = (text: string) => embeddedText({ title: '' }, { headings: [], text })
  expect(body('PR [#12](https://example.org/pull/12 "t") by [@a](../people.md#a).')).toBe(
    'PR #12 by @a.',
  )
  expect(body('![A logo](img/logo.png) here')).toBe('A logo here')
  expect(body('see `the guide <https://example.org/g>`_')).toBe('see  the guide   _')
  expect(body('items[0](call) and x[1](a.b)y')).toBe('items[0](call) and x[1](a.b)y')
})

test('drops the marks of headings, fences, code and strong text', () => {
  const text =
    '## Use `run`\n\n**Now**:\n\n  ```js {1}\n  run(`a`, x)\n  ```\n\n~~~\n- b\n~~~\n```x``` ends'
  const words = embeddedText({ title: '' }, { headings: [], text }).split(/\s+/)
  expect(words.join(' ')).toBe('Use run Now : run( a , x) - b x ends')
})

test('embeds the text above a chunk that consists of repeats', () => {
  const page = 'Intro. ```same``` End.\nSecond ```same```\n```same```Last'
  const chunk = (url: string, start: number, end: number) => ({
    url,
    title: 'T',
    heading: 'A > B',
    content: page.slice(start, end),
    chunk_index: start,
    start_offset: start,
  })
  const starts = ['```same``` End', '```same```\n```', '```same```Last'].map((it) =>
    page.indexOf(it),
  )
  const again = starts.map((start) => ({ start, end: start + 10 }))
  const textOf = embeddedTextFormatter(new Map([['a', again]]))
  const third = page.lastIndexOf('\n')
  expect(
    [
      [0, 23],
      [23, third + 5],
      [third + 5, third + 11],
      [third + 11, page.length],
    ].map(([start, end]) => textOf(chunk('a', start!, end!))),
  ).toEqual([
    'T > A > B\nIntro.  End.',
    'T > A > B\nSecond',
    'T > A > B\nSecond',
    'T > A > B\nLast',
  ])
  expect(textOf(chunk('b', 0, 23))).toBe('T > A > B\nIntro.    same    End.')
})

test('embeds only the heading if a page starts with repeats', () => {
  const textOf = embeddedTextFormatter(new Map([['a', [{ start: 0, end: 4 }]]]))
  const chunk = {
    url: 'a',
    title: 'T',
    heading: '',
    content: 'code',
    chunk_index: 0,
    start_offset: 0,
  }
  expect(textOf(chunk)).toBe('T\n')
})

test('bounds the number of embedded texts of one page', () => {
  const textOf = embeddedTextFormatter(new Map())
  const texts = (url: string, length: number) =>
    Array.from({ length }, (_, at) =>
      textOf({
        url,
        title: 'T',
        heading: `H ${at}`,
        content: `code ${at}`,
        chunk_index: at,
        start_offset: at,
      }),
    )
  expect(new Set(texts('a', 1000)).size).toBe(1000)
  const long = texts('b', 5000)
  expect(new Set(long).size).toBe(1500)
  expect(long[4007]).toBe(long[4000]!)
  expect(long[4008]).not.toBe(long[4000]!)
  expect(new Set(texts('c', 100_000)).size).toBeLessThan(3000)
})
