/**
 * The address of a page to read. `from` and `to` are 1-based line numbers; the view marks these
 * lines and scrolls to them.
 */
type PageReadRequest = {
  library: string
  version: string
  url: string
  from?: number
  to?: number
  anchor?: string | null
}

export function readAddress({ library, version, url, from, to, anchor }: PageReadRequest): string {
  const params = new URLSearchParams({ library, version, url })
  if (from !== undefined) params.set('lines', `${from}-${to ?? from}`)
  const place = anchor ? encodeURIComponent(anchor) : from === undefined ? '' : 'here'
  return `/read?${params}${place && `#${place}`}`
}
