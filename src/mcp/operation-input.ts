import { z } from 'zod'
import {
  completeInput,
  splitList,
  type Field,
  type InputFields,
  type InputOf,
} from '../operation/operation.ts'

/**
 * MCP-specific settings of one field: upstream's argument name and narrower bounds. If `isHint` is
 * set, the schema shows bounds without enforcing them; the operation handles other values.
 */
type ArgumentOverride = {
  name?: string
  doc?: string
  min?: number
  max?: number
  isRequired?: true
  isHint?: true
  /** The list is one text whose items are separated by commas, so that the schema stays flat. */
  isCommaSeparated?: true
}

export type ArgumentOverrides<F extends InputFields> = {
  readonly [K in keyof F]?: ArgumentOverride
}

type OperationArguments<F extends InputFields> = {
  schema: z.ZodObject
  /** Arguments for which "" is a value rather than an omission. */
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

function textSchema(
  field: Extract<Field, { type: 'text' }>,
  override: ArgumentOverride,
): z.ZodType {
  const { choices, suggested = choices, maxLength = Infinity } = field
  // The operation checks the choices, so that every interface has the same message.
  if (suggested !== undefined) return z.string().meta({ enum: suggested })
  const isFilled = (field.required || override.isRequired) && !field.blank
  const text = isFilled ? z.string().trim().min(1) : z.string()
  return maxLength === Infinity ? text : text.max(maxLength)
}
