import { z } from 'zod'
import type { Field, InputFields, InputOf } from '../operation/operation.ts'

/** What only MCP knows about a field: upstream's name of the argument, and narrower bounds. */
type ArgumentFace = { name?: string; min?: number; max?: number; isRequired?: true }

type Faces<F extends InputFields> = { readonly [K in keyof F]?: ArgumentFace }

/** The arguments of a tool, and the way back from them to the input of the operation. */
export type OperationArguments<F extends InputFields> = {
  schema: z.ZodObject
  input(given: Readonly<Record<string, unknown>>): InputOf<F>
}

/** The arguments that an operation takes, named as the operation names them or as `faces` says. */
export function operationArguments<F extends InputFields>(
  fields: F,
  faces: Faces<F> = {},
): OperationArguments<F> {
  const rows = Object.entries(fields).map(([key, field]) => {
    const face: ArgumentFace = faces[key] ?? {}
    return { key, field, face, name: face.name ?? key }
  })
  const shape = rows.map(({ name, field, face }) => [name, schemaOf(field, face)])
  return {
    schema: z.strictObject(Object.fromEntries(shape)),
    input: (given) => Object.fromEntries(rows.map(({ key, name, field }) =>
      [key, given[name] ?? (field.type === 'switch' ? false : null)])) as InputOf<F>,
  }
}

function schemaOf(field: Field, face: ArgumentFace): z.ZodType {
  if (field.type === 'switch') return z.boolean().optional().describe(field.doc)
  if (field.type === 'whole') {
    const { min = field.min, max = field.max } = face
    return z.int().min(min).max(max).optional().describe(field.doc)
  }
  const text = z.string()
  return field.required || face.isRequired
    ? text.trim().min(1).max(field.maxLength).describe(field.doc)
    : text.max(field.maxLength).optional().describe(field.doc)
}
