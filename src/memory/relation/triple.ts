import { OgError } from '../../platform/error.ts'
import { sha256 } from '../../platform/hash.ts'

export type Triple = { subject: string; predicate: string; object: string }

export function renderTriple({ subject, predicate, object }: Triple): string {
  return `[${subject}] --${predicate}--> [${object}]`
}

/** Upstream's id: the first 16 hexadecimal digits of the SHA-256 of the lower-case triple. */
export function relationId({ subject, predicate, object }: Triple): string {
  return sha256(`${subject}|${predicate}|${object}`.toLowerCase()).slice(0, 16)
}

/**
 * Normalizes a triple for storage: trims it, and replaces hyphens in the predicate with spaces,
 * because the grammar does not allow them.
 * @throws OgError if no line can represent it
 */
export function normalizeTriple(typed: Triple): Triple {
  const subject = namePart('subject', typed.subject)
  const object = namePart('object', typed.object)
  const predicate = typed.predicate.replace(/[\s-]+/g, ' ').trim()
  if (predicate === '') throw new OgError(`'predicate' cannot be empty.`)
  if (predicate.includes('>')) {
    throw new OgError(`'predicate' cannot contain '>': ${JSON.stringify(typed.predicate)}`)
  }
  return { subject, predicate, object }
}

function namePart(what: 'subject' | 'object', typed: string): string {
  const name = typed.trim()
  if (name === '') throw new OgError(`'${what}' cannot be empty.`)
  const bad = /[\]\n\r]/.exec(name)?.[0]
  if (bad === undefined) return name
  throw new OgError(
    `'${what}' cannot contain ${bad === ']' ? "']'" : 'a line break'}: ${JSON.stringify(typed)}`,
  )
}
