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
