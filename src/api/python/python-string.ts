/** Returns the value of adjacent string literals; null for a format string or byte string. */
export function parseStringLiteral(code: string): string | null {
  let value = ''
  for (const [, prefix = '', , triple, one, two] of code.matchAll(literal)) {
    if (/[fb]/i.test(prefix)) return null
    const body = triple ?? one ?? two ?? ''
    value += /r/i.test(prefix) ? body : body.replace(escape, unescaped)
  }
  return value
}

const literal = new RegExp(
  String.raw`([a-z]{0,2})(?:("""|''')((?:(?!\2)[^\\]|\\[^])*)\2|"((?:[^"\\\n]|\\[^])*)"|` +
    String.raw`'((?:[^'\\\n]|\\[^])*)')`,
  'gi',
)

const escape = /\\(\n|x[\da-f]{2}|u[\da-f]{4}|[^])/gi

const plain: Record<string, string> = { n: '\n', t: '\t', r: '', '\n': '' }

function unescaped(_: string, sign: string): string {
  if (/^[xu]./i.test(sign)) return String.fromCharCode(Number.parseInt(sign.slice(1), 16))
  return plain[sign] ?? (/["'\\]/.test(sign) ? sign : `\\${sign}`)
}
