import { OgError } from '../error.ts'

type Glob = {
  isGlob: boolean
  /** The folder above the first name with a pattern, or the whole path if there is no pattern. */
  base: string
  /** Returns true if the path or a folder above it matches. @throws OgError if it is too slow */
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
/** Maximum number of globs to which the braces of a glob may expand. */
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

/**
 * Compiles a glob to a matcher that follows all possible states at once (an NFA) and caches the
 * transitions. Matching takes time linear in the path's length. A regular expression would
 * backtrack for minutes on `*a*b*c*`.
 */
export function openWalk(
  spellings: readonly string[],
  { text, isNegated }: { text: string; isNegated: boolean },
): (path: string) => boolean {
  const program = new Program()
  const starts = spellings.map((spelling) => program.append(spelling))
  // Limits new transitions as a protection against hostile globs. Paths are similar, so after a few
  // thousand of them few transitions are new.
  let budget = 100_000 + 1_500 * text.length
  const places = new Map<string, CachedStates>()
  const placeOf = (states: Iterable<number>) => {
    const reached = program.reached(states)
    budget -= reached.length
    if (budget < 0) throw tooMuch(text)
    const key = reached.join()
    const place = places.get(key) ?? { states: reached, isEnd: reached[0] === 0, next: new Map() }
    places.set(key, place)
    return place
  }
  const start = placeOf(starts)
  const follow = (place: CachedStates, code: number) => {
    const next = placeOf(program.read(place.states, code))
    place.next.set(code, next)
    return next
  }
  return (path) => {
    if (path === '') return false
    let place = start
    for (let at = 0; at < path.length; at++) {
      const code = path.charCodeAt(at)
      if (code === slash && at > 0 && place.isEnd) return !isNegated
      if (place.states.length === 0) return isNegated
      place = place.next.get(code) ?? follow(place, code)
    }
    return place.isEnd !== isNegated
  }
}

type CachedStates = { states: readonly number[]; isEnd: boolean; next: Map<number, CachedStates> }

/** A state of the NFA. If `reads` is null, it leads to all states in `to` without reading. */
type State = { reads: ((code: number) => boolean) | null; to: readonly number[] }

const slash = 47
const isAny = () => true
const isSlash = (code: number) => code === slash
const isInName = (code: number) => code !== slash

/** The states of one glob, built from its end to its start. State 0 is the end. */
class Program {
  readonly #states: State[] = [{ reads: null, to: [] }]

  append(glob: string): number {
    const names = glob.split('/').filter((name, at, all) => name !== '**' || all[at - 1] !== '**')
    let next = 0
    for (let at = names.length - 1; at >= 0; at--) {
      const isLast = at === names.length - 1
      const after = isLast ? 0 : this.#after(names, at, next)
      if (names[at] !== '**') next = this.#name(names[at]!, after)
      else if (isLast) next = this.#many(isAny, 0)
      else next = this.#add(null, [next, this.#many(isAny, this.#add(isSlash, [next]))])
    }
    return next
  }

  /**
   * Returns all states reachable without reading, except states that only lead to others. The
   * result is sorted, with the end first.
   */
  reached(states: Iterable<number>): number[] {
    const seen = new Set<number>()
    const open = [...states]
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (seen.has(state)) continue
      seen.add(state)
      const { reads, to } = this.#states[state]!
      if (reads === null) open.push(...to)
    }
    return [...seen]
      .filter((state) => state === 0 || this.#states[state]!.reads !== null)
      .sort((a, b) => a - b)
  }

  read(states: readonly number[], code: number): number[] {
    return states.flatMap((state) => {
      const { reads, to } = this.#states[state]!
      return reads?.(code) ? to : []
    })
  }

  #add(reads: State['reads'], to: readonly number[]): number {
    return this.#states.push({ reads, to }) - 1
  }

  #many(reads: (code: number) => boolean, next: number): number {
    const loop = this.#add(null, [])
    const one = this.#add(reads, [loop])
    this.#states[loop] = { reads: null, to: [next, one] }
    return loop
  }

  /**
   * Adds the state that reads the slash after a name, unless it is the last name. `a/**` also
   * matches `a`, unless the name before it ends with a star.
   */
  #after(names: readonly string[], at: number, next: number): number {
    const rest = this.#add(isSlash, [next])
    const isAll = at === names.length - 2 && names[at + 1] === '**'
    return isAll && !names[at]!.endsWith('*') ? this.#add(null, [0, rest]) : rest
  }

  #name(name: string, next: number): number {
    let start = next
    for (const part of nameParts(name).reverse()) {
      if (part === '*') start = this.#many(isInName, start)
      else if (part === '?') start = this.#add(isInName, [start])
      else if (part.length > 1 && part[0] === '[') start = this.#class(part, start)
      else start = this.#literal(part.at(-1)!, start)
    }
    return start
  }

  #literal(char: string, next: number): number {
    const own = char.charCodeAt(0)
    return this.#add((code) => code === own, [next])
  }

  /** Adds a character class. `[id]` also matches a folder with that literal name. */
  #class(text: string, next: number): number {
    const one = this.#add(classTest(text.slice(1, -1)), [next])
    if (!/^\[\w+\]$/.test(text)) return one
    const literal = [...text].reverse().reduce((start, char) => this.#literal(char, start), next)
    return this.#add(null, [one, literal])
  }
}

function nameParts(name: string): string[] {
  const parts = name.match(/\*+|\[[^\]]+\]|\\?[^]/g) ?? []
  return parts.map((part) => (part[0] === '*' ? '*' : part))
}

function classTest(inner: string): (code: number) => boolean {
  const isNot = /^[!^]/.test(inner)
  const ranges = [...inner.slice(Number(isNot)).matchAll(/([^])-([^])|[^]/g)].map(
    ([one, from = one, to = one]) => [from.charCodeAt(0), to.charCodeAt(0)] as const,
  )
  return (code) =>
    code !== slash && ranges.some(([from, to]) => from <= code && code <= to) !== isNot
}

function tooMuch(text: string): OgError {
  return new OgError(`Cannot use the glob "${text}": it can match these paths in too many ways`, {
    hint: 'use fewer * and ?, or give a folder',
  })
}
