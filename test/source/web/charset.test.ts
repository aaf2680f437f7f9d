import { expect, test } from 'bun:test'
import { webText } from '../../../src/source/web/charset.ts'

const latin = (text: string) => Buffer.from(text, 'latin1')

test('prefers a byte order mark, then the header, then the page, then UTF-8', () => {
  const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('é', 'utf16le')])
  expect(webText(marked, 'text/html; charset=latin1')).toBe('é')
  expect(webText(latin('é'), 'text/html; charset="ISO-8859-1"')).toBe('é')
  expect(webText(latin('<meta charset=windows-1252>é'), null)).toEndWith('é')
  expect(webText(Buffer.from('<meta charset=latin1>é'), 'text/html;charset=utf-8')).toEndWith('é')
  expect(webText(Buffer.from('日本'), null)).toBe('日本')
})

test('decodes wrongly declared bytes as UTF-8 if valid, or else as windows-1252', () => {
  expect(webText(Buffer.from('é'), 'text/html; charset=nonsense')).toBe('é')
  expect(webText(latin('caf\xe9 \x80'), 'text/html; charset=utf-8')).toBe('café €')
  expect(webText(latin('\xe9'), 'text/html; charset=ascii7')).toBe('é')
})
