import { isRecord } from '../platform/json.ts'

/** Returns the data of a YAML file with a map at its top level; null for other files. */
export async function parseYamlData(text: string): Promise<YamlMap | null> {
  const root = await parseYaml(text)
  return isRecord(root) ? root : null
}

/**
 * Parses untrusted YAML. Returns null if it is too large or too deeply nested. Ignores unknown tags
 * and errors, because generators accept files that are not strict YAML.
 */
export async function parseYaml(text: string): Promise<unknown> {
  if (text.length > sizeLimit || nesting(text) > nestingLimit) return null
  const { parseDocument } = await import('yaml')
  try {
    const document = parseDocument(text, { schema: 'core', logLevel: 'silent', uniqueKeys: false })
    const root: unknown = document.toJS({ maxAliasCount: 100 })
    return isBounded(root) ? root : null
  } catch {
    return null // The parser recurses, and an alias can refer to an unknown anchor.
  }
}

/** Maximum length of a configuration in characters. */
const sizeLimit = 2 ** 20
const nestingLimit = 100

/** Returns an upper bound of the nesting depth by counting open brackets, even in strings. */
function nesting(text: string): number {
  let [depth, most] = [0, 0]
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = Math.max(0, depth + (bracket === '[' || bracket === '{' ? 1 : -1))
    most = Math.max(most, depth)
  }
  return most
}

/** Maximum number of values in a configuration. A value repeated by aliases counts each time. */
const valueLimit = 200_000

/** True if the data is finite. An alias can repeat a value, even inside itself. */
function isBounded(root: unknown): boolean {
  let left = valueLimit
  const visit = (value: unknown, depth: number): boolean => {
    if (--left < 0 || depth > nestingLimit) return false
    if (typeof value !== 'object' || value === null) return true
    return Object.values(value).every((inner) => visit(inner, depth + 1))
  }
  return visit(root, 0)
}

export type YamlMap = { [key: string]: unknown }

/** Returns the map at a path of keys, or an empty map. */
export function mapAt(map: YamlMap, ...keys: string[]): YamlMap {
  let at: unknown = map
  for (const key of keys) at = isRecord(at) ? at[key] : undefined
  return isRecord(at) ? at : {}
}

/** Returns the strings in a value that is a string or a list of strings. */
export function stringsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((it) => typeof it === 'string')
}

/** Returns the scalars of nested maps with dotted keys: `a: {b: 1}` → `a.b` → `1`. */
export function scalarsOf(root: YamlMap, limit = 2000): Map<string, string> {
  const values = new Map<string, string>()
  const visit = (map: YamlMap, prefix: string, depth: number) => {
    for (const [key, value] of Object.entries(map)) {
      if (values.size >= limit || depth > 8) return
      if (isRecord(value)) visit(value, `${prefix}${key}.`, depth + 1)
      else if (['string', 'number', 'boolean'].includes(typeof value)) {
        values.set(prefix + key, String(value))
      }
    }
  }
  visit(root, '', 0)
  return values
}
