import type { FileEntry } from '../../memory/memory-files.ts'
import { renderPageHtml } from '../../page/show/page-html.ts'
import { OgError } from '../../platform/error.ts'
import { cutToWords } from '../../platform/tokens.ts'
import { trustedHtml, html, type Html } from '../html.ts'
import { resolveLinks } from '../read/page-links.ts'
import { memoryAddress, type OpenWorkspace } from './site-memory.ts'

/** Maximum number of characters of a rendered entry. A longer one is shown as plain text. */
const longest = 20_000

/**
 * Renders an entry's text. Sanitizes it like an indexed page, because an agent may have written it.
 */
export function entryText(body: string): Html {
  if (body.length > longest) {
    const rest = body.length - longest
    return html`<pre tabindex="0">${body.slice(0, longest)}</pre>
<p class="soft">… and ${rest.toLocaleString('en')} more characters</p>`
  }
  const nowhere = { library: '', version: '', url: '' }
  return trustedHtml(
    resolveLinks(renderPageHtml({ text: body, markup: 'markdown' }), nowhere, new Map()),
  )
}

type Corrections = ReadonlyMap<string, readonly FileEntry[]>

export function findCorrectionsIn(entries: readonly FileEntry[]): Corrections {
  const pairs = entries.flatMap((entry) => entry.corrects.map((id) => ({ id, entry })))
  const groups = Map.groupBy(pairs, ({ id }) => id)
  return new Map([...groups].map(([id, some]) => [id, some.map(({ entry }) => entry)]))
}

export function entryAddress(remembered: OpenWorkspace, { file, id }: EntryPlace): string {
  return memoryAddress(remembered, 'entry', { file, id })
}

type EntryPlace = { file: string; id: string }

export function entryCard(
  remembered: OpenWorkspace,
  entry: FileEntry,
  corrections: Corrections,
): Html {
  const { body, tags, corrects } = entry
  const later = corrections.get(entry.id) ?? []
  const isRetired = later.some((it) => it.body === '')
  const [title, name] = [entryTitle(entry), entryName(entry)]
  const badges = [
    ...tags.map((tag) => html`<span class="badge">#${tag}</span> `),
    corrects.length > 0 &&
      html`<span class="badge">${body === '' ? 'retires another' : 'corrects another'}</span> `,
    later.length > 0 &&
      html`<span class="badge warns">${isRetired ? 'retired' : 'corrected'}</span>`,
  ]
  const hasMore = !isOwnTitle(body) || title !== plainText(body)
  return html`<li class="entry"><article>
<h2><a href="${entryAddress(remembered, entry)}">${title}</a></h2>
<p class="place">${title !== name && html`${name} `}${badges}</p>
${hasMore && html`<div class="prose">${entryText(body)}</div>`}
</article></li>
`
}

/** Removes Markdown marks that a title cannot show. */
function plainText(body: string): string {
  return body
    .trim()
    .replace(/^[#>]+[ \t]+/, '')
    .replace(/`|\*\*/g, '')
}

/**
 * Returns an entry's title: its heading, or the start of its text if the heading is only the time
 * of an append.
 */
export function entryTitle(entry: FileEntry): string {
  return textTitle(entry) || entryName(entry)
}

export function textTitle({ heading, body }: Pick<FileEntry, 'heading' | 'body'>): string {
  if (!/^[\d\s:-]*$/.test(heading)) return heading
  if (isOwnTitle(body)) return plainText(body)
  const words = plainText(body.split('\n').find((it) => it.trim() !== '') ?? '')
  const title = cutToWords(words, maxTitle) || words.slice(0, maxTitle)
  return title.length < words.length ? `${title} …` : title
}

/** True if an entry is so short and plain that its title shows all of it. */
function isOwnTitle(body: string): boolean {
  return body.trim().length <= maxWhole && !/[\n[<|]/.test(body.trim())
}

const maxTitle = 60
const maxWhole = 140

export function entryName({ heading, file, startLine, endLine }: FileEntry): string {
  return heading || `${file}, lines ${startLine}-${endLine}`
}

/** Finds the entry with an ID in a file. @throws OgError if the entry does not exist */
export function findEntry(entries: readonly FileEntry[], { file, id }: EntryPlace): FileEntry {
  const entry = entries.find((it) => it.file === file && it.id === id)
  if (entry !== undefined) return entry
  throw new OgError(`There is no entry "${id}" in ${file} any more`, { code: 'absent' })
}
