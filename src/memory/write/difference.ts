import type { JournalChange } from './journal.ts'

/** The single range in which two texts differ, with its byte offset. */
export function difference(
  old: string,
  text: string,
): Required<Pick<JournalChange, 'offset' | 'removed' | 'inserted' | 'context'>> {
  const shorter = Math.min(old.length, text.length)
  let start = 0
  while (start < shorter && old[start] === text[start]) start++
  if (isSecondHalf(old, start) || isSecondHalf(text, start)) start--
  let end = 0
  while (end < shorter - start && old.at(-1 - end) === text.at(-1 - end)) end++
  if (isSecondHalf(old, old.length - end)) end--
  return {
    offset: Buffer.byteLength(old.slice(0, start)),
    removed: old.slice(start, old.length - end),
    inserted: text.slice(start, text.length - end),
    context: [
      old.slice(Math.max(0, start - nContext), start).replace(/^[\udc00-\udfff]/, ''),
      old
        .slice(old.length - end)
        .slice(0, nContext)
        .replace(/[\ud800-\udbff]$/, ''),
    ],
  }
}

const nContext = 40

function isSecondHalf(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit < 0xe000
}
