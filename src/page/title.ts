import type { Heading } from './headings.ts'

/** The title of the first heading of level 1; null if there is none. */
export function headingTitle(headings: Heading[]): string | null {
  return headings.find((heading) => heading.level === 1)?.title ?? null
}

/**
 * A title from a path, for pages that state none: `docs/query-params.md` → `Query Params`. An index
 * page is named after its folder, since dozens of "Index" help nobody.
 */
export function pathTitle(path: string): string {
  const parts = path.split('/').filter((part) => part !== '')
  const stem = (parts.pop() ?? '').replace(/\.[^.]*$/, '')
  const isIndex = /^(?:_?index|readme)$/i.test(stem)
  const name = isIndex ? parts.pop() ?? stem : stem
  return titleCase(name) || name || path
}

function titleCase(name: string): string {
  const words = name.split(/[-_\s]+/).filter((word) => word !== '')
  // `useEffect` is spelt as it is for a reason.
  const isPlain = (word: string) => word === word.toLowerCase()
  return words.map((word) => isPlain(word) ? upperFirst(word) : word).join(' ')
}

function upperFirst(word: string): string {
  const first = String.fromCodePoint(word.codePointAt(0) ?? 0x20)
  return first.toUpperCase() + word.slice(first.length)
}
