import { OgError } from '../error.ts'
import { openWalk } from './glob-walk.ts'

export type Glob = {
  isGlob: boolean
  /** The folder above the first name with a pattern; the whole path if there is no pattern. */
  base: string
  /**
   * Whether a path or a folder above it matches. @throws OgError if the match would take too much
   * work.
   */
  matches(path: string): boolean
}

/**
 * Parses a glob.
 * @throws OgError if the glob is too long, or its braces expand to too many globs
 */
export function parseGlob(text: string, { anyCase = false } = {}): Glob {
  if (text.length > maxLength) {
    throw new OgError(`Cannot use a glob of ${text.length} characters: limit is ${maxLength}`)
  }
  const marks = /^!*/.exec(text)![0].length
  const glob = text.slice(marks)
  const first = firstPattern(glob)
  const isGlob = first < glob.length
  const spelt = (text: string) => (anyCase ? text.toLowerCase() : text)
  const walk = openWalk(spellings(spelt(glob)), { text, isNegated: marks % 2 === 1 })
  return {
    isGlob,
    base: isGlob ? glob.slice(0, Math.max(0, glob.lastIndexOf('/', first))) : glob,
    matches: (path) => walk(spelt(path).replace(/^\/+/, '')),
  }
}

const maxLength = 1000
/** Maximum number of globs to which the braces of one glob may expand. */
const maxSpellings = 256

function firstPattern(glob: string): number {
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at]!
    if (char === '\\') at++
    else if (char === '*' || char === '?') return at
    else if (char === '[' && /^[^\]/]+\]/.test(glob.slice(at + 1))) return at
    else if (char === '{' && groupAt(glob, at) !== null) return at
  }
  return glob.length
}

function spellings(glob: string): string[] {
  const list: string[] = []
  for (const one of expandBraces(glob)) {
    if (list.push(one) <= maxSpellings) continue
    throw new OgError(`Cannot use the glob "${glob}": limit is ${maxSpellings} spellings`, {
      hint: 'write fewer {a,b} in it',
    })
  }
  return list
}

/** Yields the globs to which braces expand: `a/b` and `a/c` for `a/{b,c}`. */
function* expandBraces(glob: string): Generator<string> {
  for (let at = 0; at < glob.length; at++) {
    if (glob[at] === '\\') at++
    const group = glob[at] === '{' ? groupAt(glob, at) : null
    if (group === null) continue
    for (const rest of expandBraces(glob.slice(group.end))) {
      for (const part of group.parts) {
        for (const inner of expandBraces(part)) yield glob.slice(0, at) + inner + rest
      }
    }
    return
  }
  yield glob
}

/** Returns the parts of `{a,b}`, or `[a-c]` for `{a..c}`; null if the brace is literal. */
function groupAt(glob: string, start: number): { parts: string[]; end: number } | null {
  const commas: number[] = []
  let depth = 0
  for (let at = start; at < glob.length; at++) {
    const char = glob[at]
    if (char === '\\') at++
    else if (char === '{') depth++
    else if (char === ',' && depth === 1) commas.push(at)
    else if (char === '}' && --depth === 0) {
      const [, from, to] = /^\{(\w)\.\.(\w)$/.exec(glob.slice(start, at)) ?? []
      if (from !== undefined) return { parts: [`[${[from, to].sort().join('-')}]`], end: at + 1 }
      if (commas.length === 0) return null
      const ends = [...commas, at]
      const parts = ends.map((end, i) => glob.slice((ends[i - 1] ?? start) + 1, end))
      return { parts, end: at + 1 }
    }
  }
  return null
}
