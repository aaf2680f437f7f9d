import { isRecord } from '../platform/json.ts'

export type ShapeRule = {
  says: string
  holds: (value: unknown) => boolean
  /** `*` is the rule for every item in a list. */
  fields?: Record<string, ShapeRule>
}

export const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
export const isText = (value: unknown) => typeof value === 'string'
export const rule = (says: string, holds: ShapeRule['holds']): ShapeRule => ({ says, holds })
export const object = (fields: Record<string, ShapeRule>): ShapeRule => ({
  says: 'an object',
  holds: isRecord,
  fields,
})
export const listOf = (item: ShapeRule): ShapeRule => ({
  says: 'a list',
  holds: Array.isArray,
  fields: { '*': item },
})
export const orNull = (one: ShapeRule): ShapeRule => ({
  ...one,
  says: `${one.says} or null`,
  holds: (it) => it === null || one.holds(it),
})
export const optional = (one: ShapeRule): ShapeRule => ({
  ...one,
  holds: (it) => it === undefined || one.holds(it),
})

/** Describes the first fault in a value, with its path; null if the value is valid. */
export function findShapeFault(value: unknown, shape: ShapeRule, place: string): string | null {
  return isValid(value, shape) ? null : describeFault(value, shape, place)
}

/** Builds no paths, because every command checks each row of the registry. */
function isValid(value: unknown, { holds, fields }: ShapeRule): boolean {
  if (!holds(value)) return false
  if (fields === undefined || value === null || value === undefined) return true
  for (const name in fields) {
    const inner = fields[name]!
    if (name !== '*') {
      if (!isValid((value as Record<string, unknown>)[name], inner)) return false
    } else if (!(value as unknown[]).every((item) => isValid(item, inner))) return false
  }
  return true
}

function describeFault(
  value: unknown,
  { says, holds, fields = {} }: ShapeRule,
  place: string,
): string | null {
  if (!holds(value)) return `${place} is not ${says}`
  if (value === null || value === undefined) return null
  for (const [name, inner] of Object.entries(fields)) {
    const faults =
      name === '*'
        ? (value as unknown[]).map((it, i) => describeFault(it, inner, `${place}[${i}]`))
        : [describeFault((value as Record<string, unknown>)[name], inner, `${place}.${name}`)]
    const first = faults.find((it) => it !== null)
    if (first !== undefined) return first
  }
  return null
}
