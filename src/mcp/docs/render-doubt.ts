import type { Doubt } from '../../library/search/doubt.ts'
import { address, inline } from './quote.ts'

/**
 * The answer if `strict` withholds all hits: the reason, how to see them, and where else to search.
 */
export function renderWithheld({ reason, nearest, suggest }: Doubt): string {
  const headings = nearest.map(
    ({ library, version, heading, title, url }) =>
      `- ${inline(heading || title)} (${inline(library)} ${inline(version)}, ${address(url)})\n`,
  )
  const remedy = nearest.length > 0 ? ' Without strict the nearest passages are shown.' : ''
  return (
    `Found 0 matches.\nThere is ${inline(reason)}.${remedy}\n` +
    (headings.length > 0 ? `Nearest headings:\n${headings.join('')}` : '') +
    renderSuggestions(suggest)
  )
}

/** Suggests where else to search, below the hits of a weak answer. */
export function renderSuggestions(suggest: Doubt['suggest']): string {
  return suggest
    .map(({ library, version, command }) =>
      version === null
        ? `${inline(library)} is not indexed. To add it, run: ${inline(command)}\n`
        : `Perhaps in ${inline(library)} ${inline(version)}: search it by library_name.\n`,
    )
    .join('')
}
