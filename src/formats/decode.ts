import { analyse } from 'chardet'
import { OgError } from '../platform/error.ts'

/**
 * Decodes a file by its byte order mark, as UTF-8, by its declared charset (`<meta charset>`, `#
 * coding:`, `<?xml encoding>`), or by byte frequencies. Normalizes line ends to LF and removes byte
 * order marks.
 * @throws OgError with `path` (`not-text`) if the bytes are binary
 */
export function decodeText(bytes: Uint8Array, path: string): string {
  const mark = markOf(bytes)
  const labels = mark ? [mark] : [jisOf(bytes), 'utf-8', utf16Of(bytes), declaredCharset(bytes)]
  const text = decodeAs(bytes, labels) ?? (mark ? null : decodeByFrequency(bytes))
  if (text === null) throw notTextError(path, refusal(bytes, mark))
  return normalLines(text.replace(/^\ufeff+/, ''))
}

/** Decodes a file. Returns null if it is not text. */
export function decodeTextOrNull(bytes: Uint8Array, path: string): string | null {
  try {
    return decodeText(bytes, path)
  } catch {
    return null
  }
}

/**
 * Decodes a web page by its byte order mark, HTTP header or `<meta>`, otherwise as UTF-8. If bytes
 * are invalid in the declared charset, decodes as UTF-8 or, like browsers, as windows-1252.
 */
export function decodeWebText(bytes: Uint8Array, contentType: string | null): string {
  const header = /charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType ?? '')?.[1]
  for (const label of [markOf(bytes), header, declaredCharset(bytes), 'utf-8', 'windows-1252']) {
    const text = decode(bytes, label)
    if (text !== null) return text.replace(/^\ufeff+/, '')
  }
  throw new TypeError('windows-1252 decodes all bytes')
}

/** Normalizes text from JSON or HTML, which can contain CR, NUL and lone surrogates. */
export function normalizeText(text: string): string {
  return normalLines(text).replaceAll('\0', '\ufffd').toWellFormed()
}

function normalLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
}

/** Returns the error for an unreadable page. */
export function unreadableError(path: string, reason: string): OgError {
  return new OgError(`Cannot read page "${path}": ${reason}`, { reason })
}

/** Returns the error for a file without text (`not-text`). */
export function notTextError(path: string, reason: string): OgError {
  return new OgError(`Cannot read page "${path}": ${reason}`, { code: 'not-text', reason })
}

function refusal(bytes: Uint8Array, mark: string | null): string {
  if (mark !== null && mark !== 'utf-8') return `not ${mark.toUpperCase()} text`
  return bytes.includes(0) ? 'binary, not text' : 'text in an unknown encoding'
}

function markOf(bytes: Uint8Array): string | null {
  const quarter = bytes.length % 4 === 0 && bytes.length >= 8 ? zeroBytes(bytes, 4) : []
  // UTF-32 uses only 21 of 32 bits.
  if (quarter[3] === 1 && quarter[2]! > 0.5) return 'utf-32le'
  if (quarter[0] === 1 && quarter[1]! > 0.5) return 'utf-32be'
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null
}

/** Returns the share of NUL bytes for each byte position in units of `size` bytes. */
function zeroBytes(bytes: Uint8Array, size: number): number[] {
  const head = bytes.subarray(0, 4096)
  const nuls = Array<number>(size).fill(0)
  head.forEach((byte, at) => {
    if (byte === 0) nuls[at % size]!++
  })
  return nuls.map((n) => (n * size) / head.length)
}

/** Decodes UTF-16 without a byte order mark: every other byte of Latin text is NUL. */
function utf16Of(bytes: Uint8Array): string | null {
  if (bytes.length < 8 || bytes.length % 2 > 0) return null
  const [even = 0, odd = 0] = zeroBytes(bytes, 2)
  if (Math.min(even, odd) > 0 || even + odd === 0) return null
  const label = even > 0 ? 'utf-16be' : 'utf-16le'
  if (even + odd > 0.5) return label
  const text = decode(bytes, label)
  return text?.includes('\n') && !/[\p{Cn}\p{Co}]/u.test(text) ? label : null
}

/** Recognizes ISO-2022-JP by a sequence of three ASCII bytes that switches to Japanese. */
function jisOf(bytes: Uint8Array): string | null {
  return /\x1b\$[@B]/.test(Buffer.from(bytes.subarray(0, 4096)).toString('latin1'))
    ? 'iso-2022-jp'
    : null
}

/** Returns the charset declared in the first kilobyte, as in HTML, XML or PEP 263. */
function declaredCharset(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  const declaration =
    /<meta[^>]{0,200}?charset\s*=\s*["']?([\w:.-]+)/i.exec(head) ??
    /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w:.-]+)/i.exec(head) ??
    /^(?:.*\n)?[ \t\f]*#.*?coding[:=][ \t]*([\w.-]+)/.exec(head)
  return declaration?.[1] ?? null
}

/** Decodes text without a declared charset as UTF-8 or as the most likely charset. */
function decodeByFrequency(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  const text = new TextDecoder().decode(bytes)
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  // UTF-8 with a few damaged bytes.
  if (count(/[^\0-\x7f\ufffd]/g) >= 3 * count(/\ufffd/g)) return text
  const likely = analyse(bytes.subarray(0, 65_536)).filter(({ confidence }) => confidence >= 15)
  return decodeAs(
    bytes,
    likely.map(({ name }) => name),
  )
}

/** Decodes with the first encoding that yields text. */
function decodeAs(
  bytes: Uint8Array,
  labels: readonly (string | null | undefined)[],
): string | null {
  for (const label of labels) {
    const text = decode(bytes, label)
    if (text !== null && isText(text)) return text.replaceAll('\0', '\ufffd')
  }
  return null
}

/** True if at most 5 % of the characters are control characters that are unusual in text. */
function isText(text: string): boolean {
  const controls = text.match(/[\0-\x08\x0e-\x1a\x1c-\x1f]/g)?.length ?? 0
  return controls * 20 <= text.length
}

/** Decodes bytes without a byte order mark. Returns null if the encoding is wrong. */
function decode(bytes: Uint8Array, label: string | null | undefined): string | null {
  if (!label) return null
  try {
    if (label.startsWith('utf-32')) return decodeUtf32(bytes, label === 'utf-32le')
    return new TextDecoder(label as Bun.Encoding, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function decodeUtf32(bytes: Uint8Array, isLittleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += 4)
    parts.push(String.fromCodePoint(view.getUint32(at, isLittleEndian)))
  return parts.join('')
}
