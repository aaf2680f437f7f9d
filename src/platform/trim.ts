/**
 * A text without these characters at its ends. A pattern like `/\/+$/` looks from each slash to the
 * end of its run anew, which takes a minute for some hundred thousand of them before a letter.
 */
export function trimmed(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text[start]!)) start++
  return trimmedEnd(text.slice(start), characters)
}

export function trimmedEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}
