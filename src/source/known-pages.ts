import type { KnownPages, SourceEvent } from './source.ts'
import { conditionalHeaders, parseValidator, type Validator } from './validator.ts'

export type KnownPage = { url: string; validator: Validator }

/**
 * Returns the known pages by the URL that the site lists. Omits parts of other pages, and pages
 * without a usable validator.
 */
export function parseKnownPages(before: KnownPages | undefined): Map<string, KnownPage> {
  const pages = new Map<string, KnownPage>()
  for (const [url, text] of before ?? []) {
    if (isPartOfKnown(url, before!)) continue
    const validator = parseValidator(text)
    if (validator) pages.set(validator.listed ?? url, { url, validator })
  }
  return pages
}

export function isPartOfKnown(url: string, before: KnownPages): boolean {
  const at = url.indexOf('#')
  return at > 0 && before.has(url.slice(0, at))
}

/**
 * Returns a function that splits the event for a file with several pages, such as an OpenAPI
 * description, into one event per page. If the file has not changed, none of its pages has.
 */
export function openPageParts(
  before: KnownPages = new Map(),
): (event: SourceEvent) => Iterable<SourceEvent> {
  const partsOf = partsByFile(before)
  return function* separate(event) {
    if (event.type === 'page' && event.parts !== undefined) {
      const { parts, ...first } = event
      yield first
      for (const page of parts) yield { ...first, page }
      return
    }
    yield event
    if (event.type !== 'unchanged' && event.type !== 'failed') return
    for (const url of partsOf.get(event.url) ?? []) {
      // If a file cannot be read, its pages keep their text and are read again next time.
      const old = event.type === 'failed' ? { validator: before.get(url)! } : event
      yield { ...old, type: 'unchanged', url }
    }
  }
}

function partsByFile(before: KnownPages): Map<string, string[]> {
  const parts = new Map<string, string[]>()
  for (const url of before.keys()) {
    if (!isPartOfKnown(url, before)) continue
    const file = url.slice(0, url.indexOf('#'))
    parts.getOrInsert(file, []).push(url)
  }
  return parts
}

/** The known pages from one file, and the request headers that ask whether it has changed. */
export function knownParts(before: KnownPages | undefined) {
  const parts = new Map<string, Validator>()
  for (const [url, text] of before ?? []) {
    const validator = parseValidator(text)
    if (validator) parts.set(url, validator)
  }
  const [first] = parts.values()
  const isWhole =
    parts.size > 0 && parts.size + [...unchangedApiEvents(before)].length === before?.size
  return { parts, headers: isWhole ? conditionalHeaders(first!) : {} }
}

/** Marks the validators of API reference pages. */
export const apiValidatorPrefix = 'api:'

/** Yields the known API reference pages if their file has not changed. */
export function* unchangedApiEvents(before: KnownPages | undefined): Iterable<SourceEvent> {
  for (const [url, validator] of before ?? []) {
    if (validator.startsWith(apiValidatorPrefix)) yield { type: 'unchanged', url }
  }
}

/**
 * Yields failures for known pages that are missing from the listing, if a list could not be read.
 * The pages may still exist, so they keep their old text. `list` is `the sitemap https://…`.
 */
export function* failuresOfLostPages(
  before: ReadonlyMap<string, KnownPage>,
  pages: readonly { url: string }[],
  list: string,
): Iterable<SourceEvent> {
  const listed = new Set(pages.map(({ url }) => url))
  for (const [address, { url }] of before) {
    if (listed.has(address)) continue
    yield { type: 'failed', url, reason: `${list} could not be read` }
  }
}
