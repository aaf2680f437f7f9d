import { oneLine } from '../../platform/text/trim.ts'
import { isRecord } from '../../platform/json.ts'

/** Maximum nesting of listed properties, and maximum number of lines, for one schema. */
const depthLimit = 6
const lineLimit = 200

/** Maximum number of schemas per list, because combined schemas can produce no lines. */
const visitLimit = 2000

/** Returns a schema's type: `string (date-time)`, `array of Pet`, `"a" | "b"`, or ''. */
export function schemaType(spec: Spec, source: unknown, depth = 0): string {
  const schema = resolveReference(spec, source)
  if (!isRecord(schema) || depth > 4) return referenceName(source)
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : []
  if (values.length > 0) {
    const literals = values.slice(0, 30).map((value) => JSON.stringify(value))
    return literals.join(' | ') + (values.length > 30 ? ' | …' : '')
  }
  for (const key of ['oneOf', 'anyOf', 'allOf'] as const) {
    const parts = schema[key]
    if (!Array.isArray(parts) || parts.length === 0) continue
    // Named schemas are not expanded, because circular references would expand endlessly.
    const reference = referenceName(source)
    if (reference !== '') return reference
    const names = parts
      .slice(0, 10)
      .map((part) => schemaType(spec, part, depth + 1))
      .filter(Boolean)
    return [...new Set(names)].join(key === 'allOf' ? ' & ' : ' | ')
  }
  const type = Array.isArray(schema.type)
    ? schema.type.map(scalarText).join(' | ')
    : scalarText(schema.type)
  if (type === 'array' || (type === '' && 'items' in schema)) {
    return `array of ${schemaType(spec, schema.items, depth + 1) || 'any'}`
  }
  const name = referenceName(source)
  const plain = name !== '' && /^(?:object)?$/.test(type) ? name : type
  return scalarText(schema.format) === '' ? plain : `${plain} (${scalarText(schema.format)})`
}

/** Renders a schema's properties as a nested list; '' if it has none. */
export function renderProperties(spec: Spec, value: unknown): string {
  const schema = resolveReference(spec, value)
  if (!isRecord(schema)) return ''
  const texts = rendered.getOrInsertComputed(spec, () => new WeakMap<object, string>())
  return texts.getOrInsertComputed(schema, () => newProperties(spec, schema))
}

/** Caches the lists of each description, because most operations use the same schemas. */
const rendered = new WeakMap<Spec, WeakMap<object, string>>()

function newProperties(spec: Spec, schema: JsonObject): string {
  const lines: string[] = []
  addProperties({ spec, lines, open: new Set(), nVisits: 0 }, schema, 0)
  if (lines.length > lineLimit) return [...lines.slice(0, lineLimit), '- …'].join('\n')
  return lines.join('\n')
}

type Listing = { spec: Spec; lines: string[]; open: Set<unknown>; nVisits: number }

function addProperties(listing: Listing, value: unknown, depth: number): void {
  const { spec, lines, open } = listing
  const schema = resolveReference(spec, value)
  if (!isRecord(schema) || depth > depthLimit || open.has(schema)) return
  if (lines.length > lineLimit || ++listing.nVisits > visitLimit) return
  open.add(schema)
  for (const key of ['allOf', 'oneOf', 'anyOf'] as const) {
    const parts = schema[key]
    if (Array.isArray(parts)) for (const part of parts) addProperties(listing, part, depth)
  }
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  if (isRecord(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      if (lines.length > lineLimit) break
      lines.push(propertyLine(spec, { name, property, isRequired: required.has(name), depth }))
      addProperties(listing, property, depth + 1)
    }
  }
  if (schema.items !== undefined) addProperties(listing, schema.items, depth)
  if (isRecord(schema.additionalProperties))
    addProperties(listing, schema.additionalProperties, depth)
  open.delete(schema)
}

type Property = { name: string; property: unknown; isRequired: boolean; depth: number }

function propertyLine(spec: Spec, { name, property, isRequired, depth }: Property): string {
  const schema = resolveReference(spec, property)
  const facts = [
    schemaType(spec, property),
    isRequired ? 'required' : '',
    ...schemaLimits(schema),
  ].filter((fact) => fact !== '')
  const about = isRecord(schema) ? oneLine(scalarText(schema.description)) : ''
  const details = facts.length === 0 ? '' : ` ${facts.join(', ')}`
  return `${'  '.repeat(depth)}- \`${name}\`${details}${about === '' ? '' : `: ${about}`}`
}

/** Returns a schema's limits, default and flags. */
export function schemaLimits(schema: unknown): string[] {
  if (!isRecord(schema)) return []
  const facts: string[] = []
  const say = (key: string, words: string) => {
    const value = scalarText((schema as JsonObject)[key])
    if (value !== '') facts.push(`${words} ${value.slice(0, 100)}`)
  }
  say('minimum', 'at least')
  say('maximum', 'at most')
  say('minLength', 'min length')
  say('maxLength', 'max length')
  say('minItems', 'min items')
  say('maxItems', 'max items')
  say('pattern', 'pattern')
  say('default', 'default')
  if (schema.readOnly === true) facts.push('read-only')
  if (schema.writeOnly === true) facts.push('write-only')
  if (schema.nullable === true) facts.push('nullable')
  if (schema.deprecated === true) facts.push('deprecated')
  return facts
}

export type JsonObject = Record<string, unknown>

/** The root of an OpenAPI description. */
export type Spec = JsonObject

/** Returns a string or number as text; '' for anything else. */
export function scalarText(value: unknown): string {
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

const chainLimit = 20

/**
 * Resolves a reference in the same file. Returns the value itself if it is not a reference, or if
 * the reference is circular, missing or to another file.
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

/** Returns the last name in a reference: `Pet` in `#/components/schemas/Pet`, or ''. */
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
