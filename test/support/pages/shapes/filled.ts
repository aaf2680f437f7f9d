/** What stands before, what is repeated, what stands after; or the page by its size. */
export type Shapes = Record<string, readonly [string, string, string] | ((size: number) => string)>

/** `unit` again and again, at least `size` characters. */
export function filled(unit: string, size: number): string {
  return unit.repeat(Math.ceil(size / unit.length))
}

/** Units that differ, joined until they have `size` characters. */
export function grown(size: number, unit: (index: number) => string): string {
  const units: string[] = []
  for (let index = 0, length = 0; length < size; index++) {
    const next = unit(index)
    units.push(next)
    length += next.length
  }
  return units.join('')
}
