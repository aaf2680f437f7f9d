/** Line and column of an offset, both from 1, as editors take them: `12:5`. */
export function linePlace(text: string, offset: number): string {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/)
  return `${before.length}:${before.at(-1)!.length + 1}`
}
