import { messageOf } from './error.ts'
import type { ParseError } from 'jsonc-parser'

/** Maximum nesting depth. Real JSON is flatter, and parsers can handle deeper nesting. */
const maxDepth = 500

/**
 * Like JSON.parse, for untrusted text or UTF-8 bytes. Skips a byte order mark.
 * @throws an Error that describes the problem, also if the text is nested too deeply
 */
export function parseJson(json: string | Uint8Array): unknown {
  const text =
    typeof json === 'string'
      ? json.replace(/^\ufeff/, '')
      : new TextDecoder('utf-8', { fatal: true }).decode(json)
  if (isTooDeep(text)) throw new Error(`it is nested deeper than ${maxDepth} levels`)
  return JSON.parse(text)
}

/** Parses untrusted JSON. Returns undefined if it is invalid or nested too deeply. */
export function parseJsonOrUndefined(json: string | Uint8Array): unknown {
  try {
    return parseJson(json)
  } catch {
    return undefined
  }
}

/** Like `parseJson`, but throws the error that `refuse` makes from the problem. */
export function parseJsonOr(
  json: string | Uint8Array,
  refuse: (why: string, cause: unknown) => Error,
): unknown {
  try {
    return parseJson(json)
  } catch (cause) {
    throw refuse(messageOf(cause), cause)
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the fields with names as in JSON for users: `hit_5_served` for `hit5Served`. */
export function snakeKeys(fields: object): Record<string, unknown> {
  const words = /(?<=[a-z])(?=[A-Z\d])|(?<=\d)(?=[A-Z])/g
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.replace(words, '_').toLowerCase(), value]),
  )
}

/** Returns the value if it is an object, otherwise an empty object. */
export function objectOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

/**
 * Writes JSON with a final line feed. Escapes other characters that some programs treat as line
 * ends (NEL and Unicode's separators, as in Python's splitlines), so that an object without
 * indentation stays on one line.
 */
export function jsonText(value: unknown, indent = 2): string {
  return `${JSON.stringify(value, null, indent)}\n`.replace(/[\u0085\u2028\u2029]/g, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** True if brackets are nested deeper than `maxDepth`. Ignores brackets in strings. */
export function isTooDeep(text: string): boolean {
  if (!hasManyBrackets(text)) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === openBracket || code === openBrace) depth++
    else if (code === closeBracket || code === closeBrace) depth--
    if (depth > maxDepth) return true
  }
  return false
}

/** True if the text has enough brackets to exceed `maxDepth`. This is faster than `isTooDeep`. */
function hasManyBrackets(text: string): boolean {
  let brackets = 0
  for (const bracket of '[{') {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++brackets > maxDepth) return true
    }
  }
  return false
}

const [quote, backslash] = [0x22, 0x5c]
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d]

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== quote) {
    at += text.charCodeAt(at) === backslash ? 2 : 1
  }
  return at
}

type JsonFault = { line: number; column: number; what: string }

/**
 * Returns the first syntax error, or null. Needed because Bun's JSON.parse does not report the
 * position.
 * @param options.relaxed allows comments and trailing commas
 */
export async function jsonFault(
  text: string,
  options: { relaxed: boolean },
): Promise<JsonFault | null> {
  if (isTooDeep(text)) return { line: 1, column: 1, what: 'nested too deeply' }
  const { parse, printParseErrorCode } = await import('jsonc-parser')
  const faults: ParseError[] = []
  const { relaxed } = options
  parse(text, faults, { disallowComments: !relaxed, allowTrailingComma: relaxed })
  const [fault] = faults
  if (fault === undefined) return null
  const before = text.slice(0, fault.offset).split(/\r\n|\r|\n/)
  const what = printParseErrorCode(fault.error)
    .replace(/\B[A-Z]/g, ' $&')
    .toLowerCase()
  return { line: before.length, column: before.at(-1)!.length + 1, what }
}
