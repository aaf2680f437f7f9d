import { OgError } from '../platform/error.ts'

/**
 * Decodes UTF-8 and keeps a byte order mark.
 * @throws OgError if the bytes are not UTF-8
 */
export function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    const reason = 'it is not UTF-8 text'
    throw new OgError(`Cannot read ${name}: ${reason}`, { reason })
  }
}

/** Splits text into lines that keep their `\n` or `\r\n`. */
export function linesWithEnds(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

/** Returns the most frequent line ending. */
export function mainLineEnd(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1
  return text.split('\r\n').length - 1 > all / 2 ? '\r\n' : '\n'
}

export function convertLineEnds(text: string, end: '\n' | '\r\n'): string {
  const plain = text.replace(/\r\n?/g, '\n')
  return end === '\n' ? plain : plain.replaceAll('\n', end)
}

/** Counts code points, as people and upstream count characters. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _character of text) count++
  return count
}

export function firstCharacters(text: string, limit: number): string {
  return [...text.slice(0, limit * 2)].slice(0, limit).join('')
}

/** Local time as memory files contain it: `day` is YYYY-MM-DD and `time` is HH:MM. */
export function localTime(now: Date): { day: string; time: string } {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
  return { day, time: `${two(now.getHours())}:${two(now.getMinutes())}` }
}

export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

export function checkDate(what: string, date: string | undefined): void {
  if (date === undefined || isDate(date)) return
  throw new OgError(`'${what}' must be a date like 2026-03-20, not ${JSON.stringify(date)}`)
}
