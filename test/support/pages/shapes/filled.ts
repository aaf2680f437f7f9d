/** The text before, the repeated text and the text after, or a function from size to page. */
export type Shapes = Record<string, readonly [string, string, string] | ((size: number) => string)>

/** Repeats `unit` to at least `size` characters. */
export function filled(unit: string, size: number): string {
  return unit.repeat(Math.ceil(size / unit.length))
}

/** Joins distinct units to at least `size` characters. */
export function grown(size: number, unit: (index: number) => string): string {
  const units: string[] = []
  for (let index = 0, length = 0; length < size; index++) {
    const next = unit(index)
    units.push(next)
    length += next.length
  }
  return units.join('')
}
