import { parseJsonOrUndefined } from '../platform/json.ts'

/** The kinds of values that a setting accepts, for documentation or memory. */
export type ValueKind =
  | { type: 'text' }
  | { type: 'path' }
  | { type: 'switch' }
  | { type: 'number'; min: number; max: number; whole?: true }
  /** Maps each accepted name to its meaning; `anyCase` ignores case. */
  | { type: 'choice'; choices: Readonly<Record<string, string>>; anyCase?: true }
  /** A list, or names separated by commas. */
  | { type: 'names' }
  | { type: 'objects' }

/**
 * Parses the value of a setting from the text of a variable or from a JSON or YAML value; undefined
 * if it is not allowed.
 */
export function parseValue(kind: ValueKind, raw: unknown): unknown {
  switch (kind.type) {
    case 'text':
      return parseText(typeof raw === 'number' ? String(raw) : raw)
    case 'path':
      return parseText(raw)
    case 'switch':
      return parseSwitch(raw)
    case 'number':
      return parseNumber(kind, raw)
    case 'choice':
      return parseChoice(kind, raw)
    case 'names':
      return parseList(raw)?.every((name) => typeof name === 'string') ? parseList(raw) : undefined
    case 'objects':
      return parseObjects(raw)
  }
}

/** Describes the allowed values, as the end of a sentence that starts with "must be". */
export function describeAllowedValues(kind: ValueKind): string {
  switch (kind.type) {
    case 'text':
      return 'a text'
    case 'path':
      return 'a path'
    case 'switch':
      return 'true or false'
    case 'number':
      return `a ${kind.whole ? 'whole ' : ''}number from ${kind.min} to ${kind.max}`
    case 'choice':
      return `one of ${Object.keys(kind.choices).join(', ')}`
    case 'names':
      return 'names separated by commas, or a JSON array of them'
    case 'objects':
      return 'a JSON array of objects'
  }
}

function parseText(raw: unknown): string | undefined {
  return typeof raw === 'string' && !raw.includes('\0') ? raw : undefined
}

function parseSwitch(raw: unknown): boolean | undefined {
  const word = String(raw).trim().toLowerCase()
  if (['true', '1', 'yes', 'on'].includes(word)) return true
  return ['false', '0', 'no', 'off'].includes(word) ? false : undefined
}

function parseNumber(
  { min, max, whole }: Extract<ValueKind, { type: 'number' }>,
  raw: unknown,
): number | undefined {
  const form = whole ? /^-?\d+$/ : /^-?\d+(?:\.\d+)?$/
  if (typeof raw !== 'number' && !(typeof raw === 'string' && form.test(raw.trim()))) {
    return undefined
  }
  const value = Number(raw)
  return value >= min && value <= max && (!whole || Number.isInteger(value)) ? value : undefined
}

function parseChoice(
  { choices, anyCase }: Extract<ValueKind, { type: 'choice' }>,
  raw: unknown,
): string | undefined {
  if (typeof raw !== 'string') return undefined
  const name = anyCase ? raw.trim().toLowerCase() : raw
  return Object.hasOwn(choices, name) ? choices[name] : undefined
}

function parseObjects(raw: unknown): unknown[] | undefined {
  if (typeof raw === 'string' && !raw.trim().startsWith('[')) return undefined
  const list = parseList(raw)
  return list?.every((item) => typeof item === 'object' && item !== null) ? list : undefined
}

function parseList(raw: unknown): unknown[] | undefined {
  if (Array.isArray(raw)) return raw
  if (typeof raw !== 'string') return undefined
  if (!raw.trim().startsWith('[')) {
    return raw
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
  }
  const list = parseJsonOrUndefined(raw)
  return Array.isArray(list) ? list : undefined
}
