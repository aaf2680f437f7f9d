/**
 * Strips these characters from both ends of the text. A pattern like `/\/+$/` takes quadratic time:
 * a minute for a few hundred thousand slashes before a letter.
 */
export function trimCharacters(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text[start]!)) start++
  return trimEndCharacters(text.slice(start), characters)
}

export function trimEndCharacters(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** Returns the text as one line and collapses white space. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
