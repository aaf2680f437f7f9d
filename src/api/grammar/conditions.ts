/** Replaces text with blanks; line breaks stay. */
export function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}

/**
 * Blanks the directives of a preprocessor, and the branches that C compilers never see. In C, all
 * other branches stay, because the system decides which of them applies; a declaration may occur in
 * only one. In C#, branches are alternatives inside a declaration, so only the first stays.
 */
export function maskConditions(text: string, { branches }: { branches: 'all' | 'first' }): string {
  let depth = 0
  /** The depth of the blank branch; 0 outside one. */
  let blankDepth = 0
  let isContinued = false
  const lines = text.split('\n').map((line) => {
    const word = isContinued ? 'continued' : /^\s*#\s*([a-z]+)/.exec(line)?.[1]
    const isDirective = word !== undefined && word !== 'define' && word !== 'include'
    isContinued = isDirective && line.endsWith('\\')
    if (word?.startsWith('if')) {
      depth++
      if (blankDepth === 0 && neverInC.test(line)) blankDepth = depth
    } else if (word === 'endif') {
      if (blankDepth === depth) blankDepth = 0
      depth = Math.max(0, depth - 1)
    } else if (word?.startsWith('el')) {
      if (blankDepth === 0 && branches === 'first') blankDepth = depth
      else if (blankDepth === depth && branches === 'all') blankDepth = 0
    }
    return isDirective || blankDepth > 0 ? blank(line) : line
  })
  return lines.join('\n')
}

const neverInC = /^\s*#\s*(?:ifdef\s+__cplusplus|if\s+(?:0\b|defined\s*\(?\s*__cplusplus))/
