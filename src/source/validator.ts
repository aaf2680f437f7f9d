import { parserVersion } from '../page/page.ts'
import { sha256 } from '../platform/hash.ts'

/** The recorded state of a fetched page. It later shows whether the page has changed. */
export type Validator = {
  etag?: string
  modified?: string
  /** The sitemap's `lastmod`, if no later change could have the same value. */
  lastmod?: string
  hash: string
  listed?: string
  language?: string
  /** The URL of the Markdown that was read instead of the page. */
  twin?: string
}

/**
 * The version of the conversion from bytes to pages. If it differs, no page counts as unchanged.
 * The first number is the version of the conversion code outside the parser.
 */
const readingVersion = `2/parser-${parserVersion}`

export function renderValidator(validator: Validator): string {
  return JSON.stringify({ reading: readingVersion, ...validator })
}

/** Returns headers with which a server can answer that nothing has changed (RFC 9110 §13.1). */
export function conditionalHeaders({ etag, modified }: Partial<Validator>): Record<string, string> {
  const headers: Record<string, string> = {}
  if (etag !== undefined) headers['if-none-match'] = etag
  if (modified !== undefined) headers['if-modified-since'] = modified
  return headers
}

export function validatorOf(headers: Headers, bytes: Uint8Array): Validator {
  const etag = headers.get('etag') ?? undefined
  const modified = headers.get('last-modified') ?? undefined
  return { ...(etag && { etag }), ...(modified && { modified }), hash: sha256(bytes) }
}

/**
 * Returns a `lastmod` that no later change can share, or undefined. A day must be over in all time
 * zones, and a time must be in the past.
 */
export function reliableLastmod(lastmod: string | null, now: number): string | undefined {
  const at = Date.parse(lastmod ?? '')
  const spanMs = /T/.test(lastmod ?? '') ? minuteMs : 2 * dayMs
  return lastmod !== null && at + spanMs < now ? lastmod : undefined
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** Parses a validator. Returns null for a different kind of source or a different version. */
export function parseValidator(text: string): Validator | null {
  if (!text.startsWith(`{"reading":"${readingVersion}",`)) return null
  const { reading: _, ...validator } = JSON.parse(text) as Validator & { reading: string }
  return validator
}
