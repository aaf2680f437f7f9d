import type { NotIndexed } from '../../library/search/asked.ts'
import type { Refusal } from '../../library/search/refusal.ts'
import { address, inline } from './quote.ts'

/** Nothing matches; what is nearest, and where else to ask. */
export function renderRefusal({ reason, nearest, suggest }: Refusal): string {
  const headings = nearest.map(({ library, version, heading, title, url }) =>
    `- ${inline(heading || title)} (${inline(library)} ${inline(version)}, ${address(url)})\n`)
  const others = suggest.map(({ library, version, command }) =>
    version === null
      ? `${inline(library)} is not indexed. To add it, run: ${inline(command)}\n`
      : `${inline(library)} ${inline(version)} matches: search it by library_name.\n`)
  return (
    `Found 0 matches.\nThere is ${inline(reason)}: what is indexed does not answer this.\n` +
    (headings.length > 0 ? `Nearest headings:\n${headings.join('')}` : '') +
    others.join('')
  )
}

/** What was asked beside others and is not there. */
export function renderNotIndexed({ library, version, nearest }: NotIndexed): string {
  const what = version === null
    ? `Library ${inline(library!)}`
    : `Version ${inline(version)}${library === null ? '' : ` of ${inline(library)}`}`
  const near = nearest.length > 0 ? `; nearest: ${nearest.map(inline).join(', ')}` : ''
  return `${what} is not indexed${near}.`
}
