/**
 * Tokens roughly as WordPiece counts them: a word is one for every four letters, or a single
 * unknown one beyond 100 characters; every other visible character is one.
 */
export function countWords(text: string): number {
  let count = 0
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+|\S/gu)) {
    count += word.length > 100 ? 1 : Math.ceil(word.length / 4)
  }
  return count
}
