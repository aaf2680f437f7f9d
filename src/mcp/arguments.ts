import type { z } from 'zod'
import { parseJsonOrUndefined } from '../platform/json.ts'
import { didYouMean } from '../platform/text/nearest.ts'
import type { Tool } from './tool.ts'

/**
 * Validates the arguments of a call. Accepts what models write: null or "" for an omitted argument,
 * "5" for the number 5, and "docs" for the list ["docs"]. Otherwise returns a problem that tells
 * the model how to correct the call.
 */
export function readArguments(
  { name, input, blanks = [] }: Pick<Tool<never>, 'name' | 'input' | 'blanks'>,
  args: Readonly<Record<string, unknown>>,
): { values: Record<string, unknown> } | { problem: string } {
  const names = Object.keys(input.shape)
  const unknown = Object.keys(args).find((key) => !names.includes(key))
  if (unknown !== undefined) {
    const near = didYouMean(unknown, names) || `it takes ${names.join(', ')}`
    return { problem: `Unknown argument "${unknown}" of ${name}: ${near}` }
  }
  const entries = Object.entries(args).map(([key, value]) => [
    key,
    value === '' && blanks.includes(key) ? value : coerceValue(input, key, value),
  ])
  const present = entries.filter(([, value]) => value !== undefined)
  const parsed = input.safeParse(Object.fromEntries(present))
  if (parsed.success) return { values: parsed.data }
  const reasons = parsed.error.issues.map((issue) => reasonOf(input, issue, args))
  return { problem: `Cannot call ${name}: ${reasons.join('; ')}` }
}

function coerceValue(input: z.ZodObject, key: string, value: unknown): unknown {
  const schema = input.shape[key] as z.ZodType
  if ((value === null || value === '') && schema.safeParse(undefined).success) return undefined
  if (schema.safeParse(value).success) return value
  if (typeof value !== 'string') return value
  const trimmed = value.trim()
  if (/^-?[0-9]{1,9}(\.[0-9]{1,9})?$/.test(trimmed)) return Number(trimmed)
  if (/^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true'
  if (/^[[{].*[\]}]$/s.test(trimmed)) return parseJsonOrUndefined(trimmed) ?? value
  return schema.safeParse([value]).success ? [value] : value
}

function reasonOf(
  input: z.ZodObject,
  { path, message }: z.core.$ZodIssue,
  args: Record<string, unknown>,
): string {
  const key = String(path[0])
  const value = args[key]
  if (value === undefined) {
    const { description } = input.shape[key] as z.ZodType
    return `${key} is missing${description === undefined ? '' : ` (${description})`}`
  }
  const text = JSON.stringify(value) ?? ''
  const excerpt = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return `${key} is ${excerpt}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`
}
