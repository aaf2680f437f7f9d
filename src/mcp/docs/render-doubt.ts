import type { Doubt } from '../../library/search/doubt.ts'
import { escapeUrl, escapeInline } from './quote.ts'

/**
 * The answer if `strict` withholds all hits: the reason, how to see them, and where else to search.
 */
export function renderWithheld({ reason, nearest, suggest }: Doubt): string {
  const headings = nearest.map(
    ({ library, version, heading, title, url }) =>
      `- ${escapeInline(heading || title)} ` +
      `(${escapeInline(library)} ${escapeInline(version)}, ${escapeUrl(url)})\n`,
  )
  const remedy = nearest.length > 0 ? ' Without strict the nearest passages are shown.' : ''
  return (
    `Found 0 matches.\nThere is ${escapeInline(reason)}.${remedy}\n` +
    (headings.length > 0 ? `Nearest headings:\n${headings.join('')}` : '') +
    renderSuggestions(suggest)
  )
}

/** Suggests where else to search, below the hits of a weak answer. */
export function renderSuggestions(suggest: Doubt['suggest']): string {
  return suggest
    .map(({ library, version, command }) =>
      version === null
        ? `${escapeInline(library)} is not indexed. To add it, run: ${escapeInline(command)}\n`
        : `Perhaps in ${escapeInline(library)} ${escapeInline(version)}: ` +
          'search it by library_name.\n',
    )
    .join('')
}
