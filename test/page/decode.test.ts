import { expect, test } from 'bun:test'
import { decodeText, normalizeText } from '../../src/page/decode.ts'
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
  refused([0xff, 0xfe, 0, 0], 'binary, not text')
  refused([0xc3, 0x28], 'not UTF-8 text')
  refused([0xfe, 0xff, 0xd8], 'not UTF-16BE text')
})

test('replaces NUL and lone surrogates, and normalises line endings', () => {
  expect(normalizeText('a\r\nb\rc\0d\ud800')).toBe('a\nb\nc\ufffdd\ufffd')
})
