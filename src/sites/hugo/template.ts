/** Prefix of values that are shortcode templates. */
export const templateOf = 'template:'

type Arguments = { args: ReadonlyMap<string, string>; parameter(name: string): string | undefined }

/**
 * Runs a template that only contains text and calls of plain functions: `{{ substr (.Page.Param
 * (.Get 0)) 1 }}`. Returns null if it contains anything else.
 */
export function runTemplate(template: string, page: Arguments): string | null {
  if (/<[a-z]|\{\{-?\s*(?:if|range|with|define|block|\$|\/\*)/i.test(template)) return null
  let isKnown = true
  const text = template.trim().replace(/\{\{-?\s*([^{}]*?)\s*-?\}\}/g, (_, pipeline: string) => {
    const value = runPipeline(pipeline, page)
    isKnown &&= value !== null
    return value ?? ''
  })
  return isKnown ? text : null
}

/** The value of `f a (g b) | h`; null if it contains an unknown function. */
function runPipeline(source: string, page: Arguments): string | null {
  const tokens = source.match(/"(?:[^"\\]|\\.)*"|`[^`]*`|[()|]|[^\s()|"`]+/g) ?? []
  let at = 0
  const pipeline = (depth: number): string | null => {
    let value: string | null = null
    for (let isFirst = true; isFirst || tokens[at] === '|'; isFirst = false) {
      if (!isFirst) at++
      const name = tokens[at] ?? ''
      const isCall = /^[\w.$]*[a-z]\w*$/i.test(name) && name !== '('
      if (isCall) at++
      const values: string[] = []
      while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') {
        const operand = tokens[at++]!
        const inner = operand === '(' && depth < 10 ? pipeline(depth + 1) : literal(operand, page)
        if (operand === '(') at++
        if (inner === null) return null
        values.push(inner)
      }
      if (!isFirst && value !== null) values.push(value)
      value = isCall ? call(name, values, page) : (values[0] ?? null)
      if (value === null) return null
    }
    return value
  }
  return pipeline(0)
}

function literal(token: string, page: Arguments): string | null {
  if (/^["`]/.test(token)) return token.slice(1, -1)
  return /^-?\d+$/.test(token) ? token : call(token, [], page)
}

/** Calls a function, or reads a field; null if it is unknown. */
function call(name: string, [a = '', b = '', c]: string[], page: Arguments): string | null {
  if (/^\$?\.Get$/.test(name)) return page.args.get(a) ?? ''
  if (/^\$?\.(?:Page\.|Site\.)?Param$/.test(name)) return page.parameter(a) ?? null
  const field = /^(?:\$?\.(?:Page|Site)|site)\.Params\.([\w.]+)$/i.exec(name)?.[1]
  if (field !== undefined) return page.parameter(field) ?? null
  if (/^(?:markdownify|safeHTML|htmlUnescape|plainify|string|print)$/.test(name)) return a
  if (name === 'substr')
    return a.slice(Number(b), c === undefined ? undefined : Number(b) + Number(c))
  if (name === 'lower' || name === 'strings.ToLower') return a.toLowerCase()
  if (name === 'upper' || name === 'strings.ToUpper') return a.toUpperCase()
  if (name === 'default') return b || a
  if (name === 'printf') return a.replace('%s', () => b).replace('%s', () => c ?? '')
  if (name === 'replace' && c !== undefined && b !== '') return a.replaceAll(b, () => c)
  return null
}
