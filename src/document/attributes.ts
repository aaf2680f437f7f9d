/** Longer text is not a list of attributes, and searching it would be slow. */
const longest = 4000

const attribute = /(?<![\w:-])([A-Za-z][\w-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>,]+))/g

/** Parses `name="value"`, `name='value'` and `name=value`. Names become lower case. */
export function parseAttributes(source: string): Map<string, string> {
  const attributes = new Map<string, string>()
  if (source.length > longest) return attributes
  for (const [, name = '', double, single, bare] of source.matchAll(attribute)) {
    attributes.set(name.toLowerCase(), double ?? single ?? bare ?? '')
  }
  return attributes
}

/** Returns the first value that is not empty, or ''. `|` separates the names. */
export function firstValue(
  values: Pick<ReadonlyMap<string, string>, 'get'>,
  names: string,
): string {
  for (const name of names.split('|')) if (values.get(name)) return values.get(name)!
  return ''
}
