import { seeker } from '../seek.ts'

/**
 * Removes comments, scripts, styles, SVG and navigation from HTML before it is parsed: often nine
 * tenths of a page. From the first such element that is never closed on, everything stays.
 */
export function withoutBulk(source: string): string {
  const opening = /<!--|<(script|style|svg|nav)(?=[\s>/])/gi
  let kept = ''
  let at = 0
  for (let match = opening.exec(source); match; match = opening.exec(source)) {
    const end = endOf(source, { at: match.index, name: match[1]?.toLowerCase() })
    if (end < 0) break
    kept += source.slice(at, match.index)
    at = opening.lastIndex = end
  }
  return kept + source.slice(at)
}

type Start = { at: number; name: string | undefined }

/** The end of the element or comment at an offset; -1 if unclosed. A comment has no `name`. */
function endOf(source: string, { at, name }: Start): number {
  if (name === undefined) return after(source, /-->/g, at)
  const isText = name === 'script' || name === 'style'
  return isText ? after(source, closings[name]!, at) : balancedEnd(source, { at, name })
}

const closings: Record<string, RegExp> = {
  script: /<\/script\s*>/gi, style: /<\/style\s*>/gi,
}

function after(source: string, closing: RegExp, at: number): number {
  closing.lastIndex = at
  return closing.exec(source) === null ? -1 : closing.lastIndex
}

/** The end of an element that can hold elements of its own name, such as `nav`; -1 if unclosed. */
function balancedEnd(source: string, { at, name }: { at: number; name: string }): number {
  const commentEnd = seeker(source, '-->')
  const tagEnd = seeker(source, '>')
  const opening = new RegExp(`<!--|<(/?)${name}(?=[\\s>/])`, 'gi')
  opening.lastIndex = at
  let depth = 0
  for (let match = opening.exec(source); match; match = opening.exec(source)) {
    const slash = match[1]
    const end = slash === undefined ? commentEnd(match.index) : tagEnd(opening.lastIndex)
    if (end < 0) continue
    opening.lastIndex = end + (slash === undefined ? '-->' : '>').length
    if (slash === undefined) continue
    const isAlone = name === 'svg' && source[end - 1] === '/'
    if (!isAlone) depth += slash === '' ? 1 : -1
    if (depth === 0) return opening.lastIndex
  }
  return -1
}
