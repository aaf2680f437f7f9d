import { expect, test } from 'bun:test'
import { embeddedText } from '../../src/chunk/embedded-text.ts'

type Input = { title?: string; headings?: string[]; text?: string }

function check(name: string, input: Input, expected: string) {
  const { title = 'T', headings = [], text = 'body' } = input
  test(name, () => expect(embeddedText({ title }, { headings, text })).toBe(expected))
}

check('title, path, body', { headings: ['A', 'B'], text: '\n body\n\n' }, 'T > A > B\nbody')
check('a first heading that is the title is said once', { headings: ['T', 'B'] }, 'T > B\nbody')
check('title alone', {}, 'T\nbody')
check('neither', { title: ' ' }, 'body')
check('no title', { title: '', headings: ['A'] }, 'A\nbody')
check('one line', { title: 'T\n t', headings: ['T t', 'A\tB'] }, 'T t > A B\nbody')
check('a monstrous heading is cut by bytes, between code points',
  { headings: ['😀'.repeat(1e5)] }, `T > ${'😀'.repeat(23)}…\nbody`)
check('a long path keeps title and nearest heading',
  { headings: ['a'.repeat(90), 'b'.repeat(90), 'c'.repeat(90)] },
  `T > ${'b'.repeat(90)} > ${'c'.repeat(90)}\nbody`)

test('targets of links are not embedded, what they are called is', () => {
  const body = (text: string) => embeddedText({ title: '' }, { headings: [], text })
  expect(body('PR [#12](https://example.org/pull/12 "t") by [@a](../people.md#a).')).toBe(
    'PR #12 by @a.',
  )
  expect(body('![A logo](img/logo.png) here')).toBe('A logo here')
  expect(body('see `the guide <https://example.org/g>`_')).toBe('see `the guide  `_')
  expect(body('items[0](call) and x[1](a.b)y')).toBe('items[0](call) and x[1](a.b)y')
})
