import type { Heading } from './headings.ts'

/**
 * Returns the title of the text, or null. It is the first level-1 heading, or a heading of a lower
 * level if it precedes all text and is the only one of its level. An `<h1>` directly above the next
 * heading is a banner with the project's name, so the next heading is the title.
 */
export function titleFromHeadings(
  headings: readonly Heading[],
  text: string,
  path: string,
): string | null {
  const at = headings.findIndex((heading) => heading.level === 1)
  const [top, below] = at < 0 ? [] : headings.slice(at, at + 2)
  if (top && below?.level === 2 && !isIndexPage(path)) {
    const isBanner = /^<h1\b/i.test(text.slice(top.offset, top.end))
    if (isBanner && text.slice(top.end, below.offset).trim() === '') return below.title
  }
  if (top) return top.title
  const [first, ...others] = headings
  if (first === undefined || others.some(({ level }) => level <= first.level)) return null
  if (text.slice(0, first.offset).trim() !== '' || isRelease(first.title)) return null
  return first.title
}

/** True if a heading is the name of a release, as in a changelog. */
function isRelease(title: string): boolean {
  return /^\W*v?\d+(?:\.\d+)+|^\W*\d{4}-\d\d|^unreleased/i.test(title)
}

/**
 * Makes a title from a path: `docs/query-params.md` → `Query Params`. An index page gets the name
 * of its folder, because many pages would otherwise be called "Index".
 */
export function titleFromPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '')
  const stem = (parts.pop() ?? '').replace(/\.[^.]*$/, '')
  const last = isIndexPage(path) ? (parts.pop() ?? stem) : stem
  // Removes numbers that sort files: `02-install.md`, `1.guide/`.
  const name = last.replace(/^\d{1,2}[-_.]\s*(?=\p{L})/u, '')
  return titleCase(name) || name || path
}

function isIndexPage(path: string): boolean {
  return /(?:^|\/)(?:_?index|readme)(?:\.[^/.]*)?$/i.test(path)
}

function titleCase(name: string): string {
  const words = name.split(/[-_\s]+/).filter((word) => word !== '')
  // Keeps the case of names such as `useEffect`.
  const isPlain = (word: string) => word === word.toLowerCase()
  return words.map((word) => (isPlain(word) ? upperFirst(word) : word)).join(' ')
}

function upperFirst(word: string): string {
  const first = String.fromCodePoint(word.codePointAt(0) ?? 0x20)
  return first.toUpperCase() + word.slice(first.length)
}
