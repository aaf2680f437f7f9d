/** A page to read; `from` and `to` are lines, from 1, that are marked and scrolled to. */
export type Reading = {
  library: string
  version: string
  url: string
  from?: number
  to?: number
  anchor?: string | null
}

/** The address at which a page is read. */
export function readAddress({ library, version, url, from, to, anchor }: Reading): string {
  const params = new URLSearchParams({ library, version, url })
  if (from !== undefined) params.set('lines', `${from}-${to ?? from}`)
  const place = anchor ? encodeURIComponent(anchor) : from === undefined ? '' : 'here'
  return `/read?${params}${place && `#${place}`}`
}
