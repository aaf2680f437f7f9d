import { isRecord } from '../../platform/json.ts'

export type JsonObject = Record<string, unknown>

/** The root of an OpenAPI description. */
export type Spec = JsonObject

/** A string or number as text; '' for anything else. */
export function scalarText(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** Maximum length of a chain of references. */
const chainLimit = 20

/**
 * The value in the same file that a reference refers to; the value itself if it is not a reference.
 * References to other files and to missing values, and circular ones, stay unchanged.
 */
export function resolveReference(spec: Spec, value: unknown): unknown {
  let at = value
  for (let step = 0; step < chainLimit && isRecord(at) && typeof at.$ref === 'string'; step++) {
    const target = targetOf(spec, at.$ref)
    if (target === undefined) return at
    at = target
  }
  return at
}

/** The last name in a reference: `#/components/schemas/Pet` → `Pet`; '' for other values. */
export function referenceName(value: unknown): string {
  if (!isRecord(value) || typeof value.$ref !== 'string') return ''
  return decoded(value.$ref.slice(value.$ref.lastIndexOf('/') + 1))
}

function targetOf(spec: Spec, reference: string): unknown {
  if (!reference.startsWith('#/') || reference.length > 1000) return undefined
  let at: unknown = spec
  for (const part of reference.slice(2).split('/')) {
    const key = decoded(part)
    const isOwn = typeof at === 'object' && at !== null && Object.hasOwn(at, key)
    if (!isOwn) return undefined
    at = (at as JsonObject)[key]
  }
  return at
}

function decoded(part: string): string {
  const unescaped = part.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(unescaped)
  } catch {
    return unescaped
  }
}
