/** Longer text is not a list of attributes; each word in it may start a search. */
const longest = 4000

const attribute = /(?<![\w:-])([A-Za-z][\w-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>,]+))/g

/** The attributes `name="value"`, `name='value'` and `name=value`, with lower-case names. */
export function parseAttributes(source: string): Map<string, string> {
  const attributes = new Map<string, string>()
  if (source.length > longest) return attributes
  for (const [, name = '', double, single, bare] of source.matchAll(attribute)) {
    attributes.set(name.toLowerCase(), double ?? single ?? bare ?? '')
  }
  return attributes
}
