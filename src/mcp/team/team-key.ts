import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { OgError } from '../../platform/error.ts'
import { jsonFault, parseJson } from '../../platform/json.ts'

/**
 * Rights of a key: `search` and `ingest` for agents, `page` for people, `metrics` for monitoring.
 */
export const teamRights = ['search', 'ingest', 'page', 'metrics'] as const

export type TeamRight = (typeof teamRights)[number]

/** A key of `og serve` in the key file, which contains only the hash of the secret. */
export type TeamKey = {
  name: string
  /** Hash of the secret in hexadecimal digits. */
  sha256: string
  /** Names of libraries. `*` matches any text, and case is ignored. */
  libraries: string[]
  may: TeamRight[]
  per_minute?: number | undefined
  per_day?: number | undefined
  /** Expiry date or time in UTC. */
  expires?: string | undefined
}

const name = z.string().regex(/^[\w.@+-]{1,64}$/, 'is not a name of letters, digits and ._@+-')
const pattern = z.string().min(1, 'has a blank name').max(200, 'has a name of over 200 characters')
const count = z.int('is not a whole number').min(1, 'is below 1').max(1e9, 'is over 1,000,000,000')
const date = z.string().refine((text) => !Number.isNaN(parseExpiry(text)), 'is not a date')

const keySchema = z.strictObject({
  name,
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in hexadecimal'),
  libraries: z.array(pattern).min(1, 'names none').max(1_000, 'names over 1,000'),
  may: z
    .array(z.enum(teamRights, `knows only ${teamRights.join(', ')}`))
    .refine((may) => may.some((right) => right !== 'ingest'), 'needs search or page too'),
  per_minute: count.optional(),
  per_day: count.optional(),
  expires: date.optional(),
})

const fileSchema = z.strictObject({ keys: z.array(z.unknown()) })

/**
 * Parses a key file: `{"keys": [{name, sha256, libraries, may, …}]}`.
 * @throws OgError with the invalid entry and the reason
 */
export async function parseTeamKeys(text: string, path: string): Promise<TeamKey[]> {
  const fail = (why: string, hint = 'og keys writes it'): never => {
    throw new OgError(`Cannot use the keys of ${path}: ${why}`, { hint })
  }
  const content = await Promise.try(() => parseJson(text)).catch(async () => {
    const fault = await jsonFault(text, { relaxed: false })
    return fail(
      `it is not valid JSON${fault === null ? '' : ` in line ${fault.line}: ${fault.what}`}`,
    )
  })
  const file = fileSchema.safeParse(content)
  if (!file.success) return fail('it is not {"keys": […]}')
  const keys = file.data.keys.map((entry, i) => {
    const parsed = keySchema.safeParse(entry)
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    const [field] = issue!.path
    const what = field === undefined ? issue!.message : `"${String(field)}" ${issue!.message}`
    return fail(`entry ${i + 1}: ${what}`)
  })
  const same = sameField(keys)
  return same === null ? keys : fail(same)
}

function sameField(keys: readonly TeamKey[]): string | null {
  for (const field of ['name', 'sha256'] as const) {
    const places = new Map<string, number>()
    for (const [i, key] of keys.entries()) {
      const before = places.get(key[field])
      if (before !== undefined) return `entries ${before + 1} and ${i + 1} have the same ${field}`
      places.set(key[field], i)
    }
  }
  return null
}

export function teamKeysText(keys: readonly TeamKey[]): string {
  return `${JSON.stringify({ keys }, null, 2)}\n`
}

/** Returns a new secret of 256 random bits, so that its hash needs no salt. */
export function newTeamSecret(): string {
  return `og_${randomBytes(32).toString('base64url')}`
}

/**
 * Returns milliseconds since 1970, or NaN if the text is not a date. A date without a time means
 * midnight UTC.
 */
export function parseExpiry(text: string): number {
  return /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(text) ? Date.parse(text) : NaN
}

export function libraryMatcher(patterns: readonly string[]): (library: string) => boolean {
  const names = patterns.map((one) => one.toLowerCase().split('*'))
  return (library) => {
    const name = library.toLowerCase()
    return names.some((pieces) => isMadeOf(name, pieces))
  }
}

/** True if the name contains the pieces in this order, with any text between them. */
function isMadeOf(name: string, pieces: readonly string[]): boolean {
  const [first = '', ...rest] = pieces
  const last = rest.pop()
  if (last === undefined) return name === first
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const piece of rest) {
    const start = name.indexOf(piece, at)
    if (start < 0) return false
    at = start + piece.length
  }
  return name.length - at >= last.length && name.endsWith(last)
}
