import { z } from 'zod'
import { parseJsonOrUndefined } from '../platform/json.ts'
import { didYouMean } from '../platform/text/nearest.ts'
import type { Tool } from './tool.ts'
import { completeInput, splitList } from '../operation/operation.ts'
import type { Field, InputFields, InputOf } from '../operation/field.ts'

/**
 * Validates the arguments of a call. Accepts common forms from models: null or "" for an omitted
 * argument, "5" for the number 5, and "docs" for the list ["docs"]. For invalid arguments, returns
 * a problem that tells the model how to correct the call.
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

/**
 * MCP-specific settings of a field: upstream's argument name and narrower bounds. If `isHint` is
 * set, the schema shows bounds but does not enforce them, and the operation handles other values.
 */
type ArgumentOverride = {
  name?: string
  doc?: string
  min?: number
  max?: number
  isRequired?: true
  isHint?: true
  /** True if the argument can be a single value or a list (see `textsOf`). */
  isSeveral?: true
  /** A string of comma-separated items instead of a list, so that the schema stays flat. */
  isCommaSeparated?: true
}

export type ArgumentOverrides<F extends InputFields> = {
  readonly [K in keyof F]?: ArgumentOverride
}

type OperationArguments<F extends InputFields> = {
  schema: z.ZodObject
  /** Arguments with "" as a valid value. */
  blanks: readonly string[]
  input(args: Readonly<Record<string, unknown>>): InputOf<F>
}

export function operationArguments<F extends InputFields>(
  fields: F,
  overrides: ArgumentOverrides<F> = {},
): OperationArguments<F> {
  const rows = Object.entries(fields).map(([key, field]) => {
    const override: ArgumentOverride = overrides[key] ?? {}
    return { key, field, override, name: override.name ?? key }
  })
  const shape = rows.map(({ name, field, override }) => [name, schemaOf(field, override)])
  return {
    schema: z.strictObject(Object.fromEntries(shape)),
    blanks: rows.filter(({ field }) => 'blank' in field).map(({ name }) => name),
    input(args) {
      const valueOf = ({ name, override }: (typeof rows)[number]) =>
        override.isCommaSeparated ? splitList(args[name] as string | undefined) : args[name]
      const values = Object.fromEntries(rows.map((row) => [row.key, valueOf(row)]))
      return completeInput(fields, values as Partial<InputOf<F>>)
    },
  }
}

function schemaOf(field: Field, override: ArgumentOverride): z.ZodType {
  const { type } = field
  const { doc = field.doc } = override
  if (type === 'switch') return z.boolean().optional().describe(doc)
  if (type === 'texts' && override.isCommaSeparated) {
    return z.string().max(1_000).optional().describe(`${doc}; separate several by commas`)
  }
  if (type === 'texts') return z.array(z.string()).optional().describe(doc)
  if (type === 'text') {
    const isRequired = field.required || override.isRequired
    if (override.isSeveral) return severalSchema(textSchema(field, override)).describe(doc)
    return (
      isRequired ? textSchema(field, override) : textSchema(field, override).optional()
    ).describe(doc)
  }
  const { min = field.min, max = field.max } = override
  const number = type === 'whole' ? z.int() : z.number()
  return (override.isHint ? number.meta({ minimum: min, maximum: max }) : number.min(min).max(max))
    .optional()
    .describe(doc)
}

/** Accepts one value or a list. Shows only the types, because bounds in a union cost tokens. */
function severalSchema(one: z.ZodType): z.ZodType {
  return z.union([z.string(), z.array(z.string())]).refine((given) => {
    const texts = textsOf(given)
    return texts.length <= mostTexts && z.array(one).min(1).safeParse(texts).success
  }, `must be 1 to ${mostTexts} texts that are not empty or too long`)
}

const mostTexts = 20

/** Returns the distinct values of an `isSeveral` argument, which can be a list in JSON. */
export function textsOf(given: unknown): string[] {
  const isJson = typeof given === 'string' && /^\s*\[\s*"[^]*"\s*\]\s*$/.test(given)
  const list = (isJson && parseJsonOrUndefined(given)) || given
  return [...new Set((Array.isArray(list) ? list : [list]).map((it) => `${it}`.trim()))]
}

function textSchema(
  field: Extract<Field, { type: 'text' }>,
  override: ArgumentOverride,
): z.ZodType {
  const { choices, suggested = choices, maxLength = Infinity } = field
  // The operation validates choices, so that every interface gives the same message.
  if (suggested !== undefined) return z.string().meta({ enum: suggested })
  const isFilled = (field.required || override.isRequired) && !field.blank
  const text = isFilled ? z.string().trim().min(1) : z.string()
  return maxLength === Infinity ? text : text.max(maxLength)
}
