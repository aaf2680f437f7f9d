import { OgError } from '../platform/error.ts'

/**
 * Decodes a file: UTF-8, or UTF-16 with a byte order mark. Normalises line ends to LF and removes
 * the mark.
 * @throws OgError naming `path` (`not-text`) if the bytes are anything else
 */
export function decodeText(bytes: Uint8Array, path: string): string {
  const encoding = encodingOf(bytes)
  if (encoding === 'utf-8' && bytes.includes(0)) throw notTextError(path, 'binary, not text')
  const text = decode(bytes, encoding)
  if (text === null) throw notTextError(path, `not ${encoding.toUpperCase()} text`)
  if (text.includes('\0')) throw notTextError(path, 'binary, not text')
  return normalLines(text)
}

/** Decodes a file; returns null if it is not text. */
export function decodeTextOrNull(bytes: Uint8Array, path: string): string | null {
  try {
    return decodeText(bytes, path)
  } catch {
    return null
  }
}

/** Normalises text from decoded JSON or HTML, which may contain CR, NUL and lone surrogates. */
export function normalizeText(text: string): string {
  return normalLines(text).replaceAll('\0', '\ufffd').toWellFormed()
}

function normalLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
}

/** The error for a file that is not a readable page. */
export function unreadableError(path: string, reason: string): OgError {
  return new OgError(`Cannot read page "${path}": ${reason}`, { reason })
}

/** The error for a file without text (`not-text`). */
export function notTextError(path: string, reason: string): OgError {
  return new OgError(`Cannot read page "${path}": ${reason}`, { code: 'not-text', reason })
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

function encodingOf(bytes: Uint8Array): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
}

/** Decodes the bytes, without their byte order mark; null if they are not in that encoding. */
function decode(bytes: Uint8Array, encoding: Encoding): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
