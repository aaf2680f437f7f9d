import type { ParseError } from 'jsonc-parser'
import { isTooDeep } from './json.ts'

type JsonFault = { line: number; column: number; what: string }

/**
 * Returns the first syntax error, or null if there is none. JSON.parse of this runtime does not
 * report the position.
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
