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

/** Describes the first fault in a value and its path. Returns null if the value is valid. */
export function findShapeFault(value: unknown, shape: ShapeRule, place: string): string | null {
  const fault = faultIn(value, shape)
  return fault === null ? null : place + fault
}

/** Returns the path below `value` and the fault, or null. Builds no path for a valid value. */
function faultIn(value: unknown, { says, holds, fields = {} }: ShapeRule): string | null {
  if (!holds(value)) return ` is not ${says}`
  if (value === null || value === undefined) return null
  for (const name in fields) {
    const isList = name === '*'
    const items = isList ? (value as unknown[]) : [(value as Record<string, unknown>)[name]]
    for (let i = 0; i < items.length; i++) {
      const fault = faultIn(items[i], fields[name]!)
      if (fault !== null) return (isList ? `[${i}]` : `.${name}`) + fault
    }
  }
  return null
}
