import { expect, test } from 'bun:test'
import { decodeText, decodeWebText, normalizeText } from '../../src/formats/decode.ts'
import { OgError } from '../../src/platform/error.ts'

const check = (bytes: number[], text: string) =>
  expect(decodeText(new Uint8Array(bytes), 'x.md')).toBe(text)
const refused = (bytes: number[], reason: string) =>
  expect(() => decodeText(new Uint8Array(bytes), 'x.md')).toThrow(
    new OgError(`Cannot read page "x.md": ${reason}`),
  )

test('decodes UTF-8 and UTF-16 without a byte order mark, and normalises line endings to LF', () => {
  check([], '')
  check([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0x0d, 0x62], 'a\n\nb')
  check([0xff, 0xfe, 0xac, 0x20], '€')
  check([0xfe, 0xff, 0x20, 0xac], '€')
})

test('rejects bytes that are not text, and reports the encoding', () => {
  refused([0x61, 0], 'binary, not text')
  refused([0xff, 0xfe, 0, 0], 'not UTF-16LE text')
  refused([0x61, 0, 0xff, 0xc3], 'binary, not text')
  refused([0xfe, 0xff, 0xd8], 'not UTF-16BE text')
})

test('replaces NUL and lone surrogates, and normalises line endings', () => {
  expect(normalizeText('a\r\nb\rc\0d\ud800')).toBe('a\nb\nc\ufffdd\ufffd')
})

test('decodes a file without UTF-8 by its declared charset, or by the frequency of its bytes', () => {
  const bytes = (text: string) => [...Buffer.from(text, 'latin1')]
  const path = (hex: string) => [...Buffer.from(hex, 'hex')]
  check(
    [...bytes('# -*- coding: windows-1251 -*-\n'), 0xd4, 0xeb],
    '# -*- coding: windows-1251 -*-\nФл',
  )
  check(
    bytes('# Réglages\n\nLe drapeau héron accélère déjà la requête.\n'),
    '# Réglages\n\nLe drapeau héron accélère déjà la requête.\n',
  )
  check(
    path(
      '2320 90dd92e8 0a 8fda8dd782c890dd92e882cd82b182b182c590e096be82b582dc82b78142'.replaceAll(
        ' ',
        '',
      ),
    ),
    '# 設定\n詳細な設定はここで説明します。',
  )
  check(
    path('2320c5e4d6c30ac6f4d3c3b2d4f0d8b1ead6beba f3cbd9b6c8b8fcbfeca1a3'.replaceAll(' ', '')),
    '# 配置\n启用苍鹭标志后速度更快。',
  )
  check([...Buffer.from('# Stork settings\n', 'utf16le')], '# Stork settings\n')
})

test('decodes UTF-16 and UTF-32 without a byte order mark, and ISO-2022-JP', () => {
  const text = '# 設定\n\n詳細な設定はここで説明します。\n'
  check([...Buffer.from(text, 'utf16le')], text)
  const codes = [...text].map((sign) => sign.codePointAt(0)!)
  const units = codes.map((code) => [0, code >> 16, (code >> 8) & 255, code & 255])
  check(units.flat(), text)
  check([[0, 0, 0xfe, 0xff], ...units].flat(), text)
  check(
    units.flatMap((unit) => unit.toReversed()),
    text,
  )
  check([...Buffer.from('# \x1b$B@_Dj\x1b(B\n', 'latin1')], '# 設定\n')
  refused([...Buffer.from('\0\u0378\0\u0379 \n', 'utf16le')], 'binary, not text')
})

test('removes repeated byte order marks, and replaces a single NUL', () => {
  check([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x61], 'a')
  const words = 'word '.repeat(20)
  check([...Buffer.from(`${words}\0`)], `${words}\ufffd`)
})

const latin = (text: string) => Buffer.from(text, 'latin1')

test('prefers a byte order mark, then the header, then the page, then UTF-8', () => {
  const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('é', 'utf16le')])
  expect(decodeWebText(marked, 'text/html; charset=latin1')).toBe('é')
  expect(decodeWebText(latin('é'), 'text/html; charset="ISO-8859-1"')).toBe('é')
  expect(decodeWebText(latin('<meta charset=windows-1252>é'), null)).toEndWith('é')
  expect(decodeWebText(Buffer.from('<meta charset=latin1>é'), 'text/html;charset=utf-8')).toEndWith(
    'é',
  )
  expect(decodeWebText(Buffer.from('日本'), null)).toBe('日本')
})

test('decodes wrongly declared bytes as UTF-8 if valid, or else as windows-1252', () => {
  expect(decodeWebText(Buffer.from('é'), 'text/html; charset=nonsense')).toBe('é')
  expect(decodeWebText(latin('caf\xe9 \x80'), 'text/html; charset=utf-8')).toBe('café €')
  expect(decodeWebText(latin('\xe9'), 'text/html; charset=ascii7')).toBe('é')
})

test('replaces a few broken bytes in UTF-8', () => {
  const bytes = Buffer.concat([Buffer.from('é ü ö '), Buffer.from([0xe9]), Buffer.from(' a')])
  expect(decodeText(bytes, 'x.md')).toBe('é ü ö \ufffd a')
})
