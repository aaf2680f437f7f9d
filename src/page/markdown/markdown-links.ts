import { fenceAfter, type Fence } from '../../document/fence.ts'

/**
 * Makes the links and pictures of a Markdown text absolute, so that they still work in a chunk.
 * Relative targets are resolved against `base`, and `#section` against `page`. Code stays
 * unchanged.
 */
export function toAbsoluteLinks(
  text: string,
  { base, page }: { base: string; page: string },
): string {
  let fence: Fence | null = null
  const full = (target: string) => fullTarget(target, target.startsWith('#') ? page : base)
  return text
    .split('\n')
    .map((line) => {
      const wasOpen = fence !== null
      fence = fenceAfter(line, fence)
      if (wasOpen || fence !== null || !/[\]"'] ?[(:=]|=["']/.test(line)) return line
      return absoluteLine(line, full)
    })
    .join('\n')
}

function absoluteLine(line: string, full: (target: string) => string): string {
  const reference = /^( {0,3}\[[^\]]+\]:\s+<?)([^\s>]+)/.exec(line)
  if (reference) {
    const [whole, before, target] = reference as unknown as [string, string, string]
    return before + full(target) + line.slice(whole.length)
  }
  return replaceOutsideCode(line, inline, ([, before = '', marked, tagBefore = '', tagged]) => {
    return marked === undefined ? tagBefore + full(tagged!) : before + full(marked)
  })
}

const inline = new RegExp(
  '(\\]\\(\\s*<?)([^\\s()<>]+(?:\\([^\\s()]*\\)[^\\s()<>]*)?)' +
    '|(<(?:a|img)\\s(?:[^<>]*\\s)?(?:href|src)=["\'])([^"\'<>\\s]+)',
  'gi',
)

/** Replaces the matches of a pattern outside the code spans of a line; null keeps a match. */
export function replaceOutsideCode(
  line: string,
  pattern: RegExp,
  replace: (match: RegExpExecArray) => string | null,
): string {
  const codeEnds = line.includes('`') ? codeSpanEnds(line) : new Map<number, number>()
  const flags = pattern.flags.replace('g', '') + 'g'
  const pieces = new RegExp(`${pattern.source}|(?<ticks>\`+)`, flags)
  let [shown, at] = ['', 0]
  for (let match = pieces.exec(line); match !== null; match = pieces.exec(line)) {
    const isCode = match.groups?.ticks !== undefined
    if (isCode) pieces.lastIndex = codeEnds.get(match.index) ?? pieces.lastIndex
    const text = isCode ? null : replace(match)
    if (text === null) continue
    shown += line.slice(at, match.index) + text
    at = pieces.lastIndex
  }
  return shown + line.slice(at)
}

function fullTarget(target: string, base: string): string {
  if (/^[a-z][a-z\d+.-]*:/i.test(target)) return target
  return URL.parse(target, base)?.href ?? target
}

/**
 * The ends of a line's code spans, keyed by the offset of the opening backticks. A span ends at the
 * next run of the same number of backticks; unclosed runs are omitted. Scans once from the end,
 * which takes linear time.
 */
export function codeSpanEnds(line: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>()
  const nextOf = new Map<number, number>()
  for (const { 0: run, index } of [...line.matchAll(/`+/g)].toReversed()) {
    const next = nextOf.get(run.length)
    if (next !== undefined) ends.set(index, next + run.length)
    nextOf.set(run.length, index)
  }
  return ends
}
