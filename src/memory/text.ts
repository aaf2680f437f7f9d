import { OgError } from '../platform/error.ts'

/** Decodes UTF-8 and keeps a byte order mark; @throws OgError where the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    const reason = 'it is not UTF-8 text'
    throw new OgError(`Cannot read ${name}: ${reason}`, { reason })
  }
}

/** Lines with their ends, `\n` or `\r\n`; together they are the text. */
export function linesWithEnds(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** The line end that most lines of a text have. */
export function lineEnd(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1
  return text.split('\r\n').length - 1 > all / 2 ? '\r\n' : '\n'
}

/** The same text with one kind of line end. */
export function withLineEnds(text: string, end: '\n' | '\r\n'): string {
  const plain = text.replace(/\r\n?/g, '\n')
  return end === '\n' ? plain : plain.replaceAll('\n', end)
}

/** Characters as people and upstream count them: code points. */
export function nCharacters(text: string): number {
  let count = 0
  for (const _character of text) count++
  return count
}

/** The first `limit` characters of a text, in code points. */
export function firstCharacters(text: string, limit: number): string {
  return [...text.slice(0, limit * 2)].slice(0, limit).join('')
}
