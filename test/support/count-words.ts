/**
 * Counts tokens roughly as WordPiece does: one for every four letters of a word, one for a word of
 * more than 100 characters, and one for every other visible character.
 */
export function countWords(text: string): number {
  let count = 0
  for (const [word] of text.matchAll(/[\p{L}\p{N}]+|\S/gu)) {
    count += word.length > 100 ? 1 : Math.ceil(word.length / 4)
  }
  return count
}
