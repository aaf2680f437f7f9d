import { expect, test } from 'bun:test'
import { elixirRules } from '../../../src/api/grammar/elixir-comment.ts'

const read = (text: string) => elixirRules.comment(text, { nBefore: 1, nAfter: 1 })

test('reads heredocs, strings and sigils', () => {
  expect(read('@doc """\n  One "#{a}".\n\n      two\n  """')?.doc.text).toBe(
    'One "#{a}".\n\n    two',
  )
  expect(read('@doc "a \\"b\\""')?.doc.text).toBe('a "b"')
  expect(read('@doc ~S"""\n  a \\"b\n  """')?.doc.text).toBe('a \\"b')
  expect(read('@doc ~s(a)')?.doc.text).toBe('a')
})

test('reads attributes that hide, deprecate or date a declaration', () => {
  expect(read('@doc false')).toMatchObject({ of: 'next', isHidden: true })
  expect(read('@moduledoc false')).toMatchObject({ of: 'parent', isHidden: true })
  expect(read('@impl true')?.isHidden).toBe(true)
  expect(read('@doc since: "1.2.0", guard: true')?.doc.since).toBe('1.2.0')
  expect(read('@deprecated "Use b/1"')?.doc.deprecated).toBe('Use b/1')
  expect(read('@spec a(t) ::\n  t')?.signature).toBe('@spec a(t) :: t')
})

test('removes the prefixes of links', () => {
  expect(read('@doc "`c:A.b/1`, `t:t/0`, `m:A`, `c:\\\\temp`"')?.doc.text).toBe(
    '`A.b/1`, `t/0`, `A`, `c:\\temp`',
  )
})
