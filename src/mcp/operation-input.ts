import { z } from 'zod'
import type { Field, InputFields, InputOf } from '../operation/operation.ts'

/**
 * MCP-specific settings of one field: upstream's argument name and narrower bounds. With `isHint`,
 * the schema lists bounds or choices without enforcing them; the operation handles other values.
 */
type ArgumentFace = { name?: string; min?: number; max?: number; isRequired?: true; isHint?: true }

export type ArgumentFaces<F extends InputFields> = { readonly [K in keyof F]?: ArgumentFace }

/** The arguments of a tool, and the conversion from them to the input of the operation. */
export type OperationArguments<F extends InputFields> = {
  schema: z.ZodObject
  /** Arguments for which "" is a value and not an omission. */
  blanks: readonly string[]
  input(given: Readonly<Record<string, unknown>>): InputOf<F>
}

/** Builds a tool's arguments from an operation's fields. `faces` may rename or restrict them. */
export function operationArguments<F extends InputFields>(
  fields: F,
  faces: ArgumentFaces<F> = {},
): OperationArguments<F> {
  const rows = Object.entries(fields).map(([key, field]) => {
    const face: ArgumentFace = faces[key] ?? {}
    return { key, field, face, name: face.name ?? key }
  })
  const shape = rows.map(({ name, field, face }) => [name, schemaOf(field, face)])
  return {
    schema: z.strictObject(Object.fromEntries(shape)),
    blanks: rows.filter(({ field }) => 'blank' in field).map(({ name }) => name),
    input: (given) =>
      Object.fromEntries(
        rows.map(({ key, name, field }) => [key, given[name] ?? missing(field)]),
      ) as InputOf<F>,
  }
}

function missing({ type }: Field) {
  return type === 'switch' ? false : type === 'texts' ? [] : null
}

function schemaOf(field: Field, face: ArgumentFace): z.ZodType {
  const { type, doc } = field
  if (type === 'switch') return z.boolean().optional().describe(doc)
  if (type === 'texts') return z.array(z.string()).optional().describe(doc)
  if (type === 'text') {
    const isRequired = field.required || face.isRequired
    return (isRequired ? textSchema(field, face) : textSchema(field, face).optional()).describe(doc)
  }
  const { min = field.min, max = field.max } = face
  const number = type === 'whole' ? z.int() : z.number()
  return (face.isHint ? number.meta({ minimum: min, maximum: max }) : number.min(min).max(max))
    .optional()
    .describe(doc)
}

function textSchema(field: Extract<Field, { type: 'text' }>, face: ArgumentFace): z.ZodType {
  const { choices, maxLength = Infinity } = field
  if (choices !== undefined) {
    return face.isHint ? z.string().meta({ enum: choices }) : z.enum(choices)
  }
  const isFilled = (field.required || face.isRequired) && !field.blank
  const text = isFilled ? z.string().trim().min(1) : z.string()
  return maxLength === Infinity ? text : text.max(maxLength)
}
