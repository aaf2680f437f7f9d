import { expect, test } from 'bun:test'
import { roffToMarkdown, parseRequest } from '../../../src/formats/man/roff.ts'

test('reads a request and its quoted arguments', () => {
  expect(parseRequest('.SH "SEE ALSO" x')).toMatchObject({ name: 'SH', args: ['SEE ALSO', 'x'] })
  expect(parseRequest("'br")).toMatchObject({ name: 'br', args: [] })
  expect(parseRequest('text')).toBeNull()
})

test('converts fonts to marks, and shows special characters', () => {
  expect(roffToMarkdown('\\fBa\\fR \\fIb \\fP\\(em \\[u00E9] \\e\\-\\&')).toBe('**a** *b* — é \\-')
  expect(roffToMarkdown('\\fBa\\fR', true)).toBe('a')
})

test('leaves out fonts without text, and puts marks before trailing spaces', () => {
  expect(roffToMarkdown('a \\fB \\fRb')).toBe('a  b')
  expect(roffToMarkdown('\\fBa \\fIb \\fP')).toBe('**a** *b* ')
})
