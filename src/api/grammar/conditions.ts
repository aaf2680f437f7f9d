/** Replaces text with blanks and keeps line breaks. */
export function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}

/**
 * Blanks preprocessor directives, and branches that a C compiler never sees. C keeps all other
 * branches, because a declaration may occur in only one of them. C# keeps only the first branch,
 * because branches are often alternatives inside one declaration.
 */
export function maskConditions(text: string, { branches }: { branches: 'all' | 'first' }): string {
  let depth = 0
  /** The nesting depth of the blanked branch; 0 outside one. */
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
