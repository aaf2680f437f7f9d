import { expect, test } from 'bun:test'
import { plainRoff, requestOf } from '../../../src/page/man/roff.ts'

test('reads a request and its quoted arguments', () => {
  expect(requestOf('.SH "SEE ALSO" x')).toMatchObject({ name: 'SH', args: ['SEE ALSO', 'x'] })
  expect(requestOf("'br")).toMatchObject({ name: 'br', args: [] })
  expect(requestOf('text')).toBeNull()
})

test('shows fonts by marks, and special characters', () => {
  expect(plainRoff('\\fBa\\fR \\fIb \\fP\\(em \\[u00E9] \\e\\-\\&')).toBe('**a** *b* — é \\-')
  expect(plainRoff('\\fBa\\fR', true)).toBe('a')
})
