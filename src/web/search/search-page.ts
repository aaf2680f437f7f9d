import type { Hit, LibraryVersion } from '../../library/library.ts'
import { versionsByLibrary } from '../../library/list.ts'
import { selectEntries } from '../../library/search/entry-selection.ts'
import { type Doubt, weakSentence } from '../../library/search/doubt.ts'
import type { SearchAnswer } from '../../library/search/search.ts'
import type { OgView } from '../../open.ts'
import { isPartial, noteSentence, searchNotes } from '../../operation/note.ts'
import { settlesWithin } from '../../platform/concurrency.ts'
import { OgError } from '../../platform/error.ts'
import { formatCount } from '../../platform/text/count.ts'
import type { PageHead } from '../../store/pages/page-table.ts'
import { errorResponse, statusOf } from '../frame.ts'
import { html, trustedHtml, type Html } from '../html.ts'
import { warmUpRenderer } from '../read/render-in-sandbox.ts'
import type { Route, PageContent, Visit } from '../visit.ts'
import {
  searchAddress,
  searchFields,
  scopeOfFields,
  kindNames,
  type SearchFields,
} from './search-fields.ts'
import { explainScore } from '../../mcp/docs/render-why.ts'
import { resolveLinks, readAddress, pagesAddress } from '../read/page-links.ts'
import { excerptHtml, excerptLine } from './excerpt-html.ts'
import type { Markup } from '../../document/headings.ts'

export const searchRoutes: readonly Route[] = [
  { method: 'GET', path: '/', answer: searchPage },
  { method: 'GET', path: '/hits', answer: hitsAlone },
]

async function searchPage(visit: Visit): Promise<PageContent> {
  const fields = searchFields(visit.params)
  const libraries = await visit.og.list()
  const main = html`<div class="search">
<h1 class="unseen">Search</h1>
${searchForm(fields, libraries)}
<p class="unseen" id="said" role="status"></p>
<div id="results">
`
  if (fields.q !== '') {
    const error = searchProblem(libraries, fields)
    if (error !== null) {
      const all = html`${main}${errorResponse(error.message, error.hint)}${end}`
      return { title: fields.q, main: all, place: 'search', status: statusOf(error) }
    }
    return { title: fields.q, main, rest: resultsAndEnd(visit, fields), place: 'search' }
  }
  warmUpRenderer()
  const all = html`${main}${renderWelcome(libraries, fields)}${end}`
  return { title: 'Search', main: all, place: 'search' }
}

function searchProblem(libraries: readonly LibraryVersion[], fields: SearchFields): OgError | null {
  try {
    const entries = libraries.map((it) => ({ ...it, key: it.library.toLowerCase() }))
    selectEntries(entries, scopeOfFields(fields))
    return null
  } catch (error) {
    if (error instanceof OgError) return error
    throw error
  }
}

async function hitsAlone(visit: Visit): Promise<Html> {
  const html = await results(visit, searchFields(visit.params))
  if (visit.params.get('by') !== 'words') warmUpRenderer()
  return html
}

/** Yields the rest of the page after the search. The form is already visible. */
async function* resultsAndEnd(visit: Visit, fields: SearchFields): AsyncGenerator<Html> {
  const answer = results(visit, fields)
  answer.catch(() => {})
  if (!(await settlesWithin(slowMs, answer))) yield html`<p class="searching">Searching …</p>\n`
  yield html`${await answer}${end}`
  // Called after the hits were sent, because the new process uses a second of processor time.
  warmUpRenderer()
}

/** The first search of a server takes longer, because it opens the indexes. */
const slowMs = 400

async function results(visit: Visit, fields: SearchFields): Promise<Html> {
  const { og, limit, knownSources, request } = visit
  if (fields.q === '') return renderWelcome(await og.list(), fields)
  const mode = visit.params.get('by') === 'words' ? ('full-text' as const) : ('hybrid' as const)
  const started = performance.now()
  try {
    const answered = await og.search({
      query: fields.q,
      ...scopeOfFields(fields),
      project: null,
      limit,
      mode,
      judge: mode === 'hybrid',
      refuse: false,
      knownSources,
      signal: request.signal,
    })
    const headsOf = await headsOfAll(og, answered.hits)
    const query = answered.english ?? fields.q
    const pageOf = ({ library, version, url }: Hit) => `${library}@${version} ${url}`
    // The other hits of a page follow its best hit.
    const groups = [...Map.groupBy(answered.hits, pageOf).values()]
    const cards = groups.flatMap((some) =>
      some.map((hit, i) => hitCard(hit, { query, heads: headsOf(hit), isMore: i > 0 })),
    )
    const ms = performance.now() - started
    const menu = versionMenu(answered.searched, { fields, libraries: await og.list() })
    return answer({ ...answered, fields, cards, menu, ms })
  } catch (error) {
    if (error instanceof OgError) return errorResponse(error.message, error.hint)
    throw error
  }
}

type Version = { library: string; version: string }
type Heads = ReadonlyMap<string, PageHead>

async function headsOfAll(og: OgView, hits: readonly Hit[]): Promise<(hit: Version) => Heads> {
  const key = ({ library, version }: Version) => `${library}@${version}`
  const versions = new Map(hits.map((hit) => [key(hit), hit]))
  const lists = await Promise.all(
    [...versions].map(async ([name, hit]) => [name, await og.pages(hit)] as const),
  )
  const heads = new Map(lists)
  return (hit) => heads.get(key(hit)) ?? new Map()
}

type RenderedAnswer = SearchAnswer & {
  fields: SearchFields
  cards: Html[]
  menu: Html | null
  ms: number
}

function answer({ fields, cards, menu, ms, searched, doubt, ...rest }: RenderedAnswer): Html {
  const isEmpty = cards.length === 0
  const count = isEmpty ? 'Nothing found' : formatCount(cards.length, 'hit')
  const where = searched.length === 1 ? ` in ${searched[0]!.library} ${searched[0]!.version}` : ''
  const notes = searchNotes({ ...rest, doubt })
  const missing = notes.filter((note) => isPartial([note]))
  const isRepeated = ({ kind }: (typeof notes)[number]) =>
    kind === 'weak' || (kind === 'version-default' && menu !== null)
  const others = notes.filter((note) => !isPartial([note]) && !isRepeated(note))
  const time = `${Math.max(1, Math.round(ms))} ms`
  return html`<p class="count"><span class="found">${count}${where}</span>
<span class="time">${time}</span></p>${menu}
${
  missing.length > 0 &&
  html`<div class="problem">${missing.map((note) => html`<p>${noteSentence(note)}</p>`)}</div>`
}
${others.map((note) => html`<p class="count">${noteSentence(note)}</p>`)}
${doubt !== null && !isEmpty && html`<p class="weak">${weakSentence}</p>`}
${!isEmpty && html`<ol class="hits">${cards}</ol>`}
${doubt !== null && renderSuggestions(doubt, fields)}
${isEmpty && html`<p class="hint">Try other words or fewer filters.</p>`}`
}

function versionMenu(
  searched: SearchAnswer['searched'],
  { fields, libraries }: { fields: SearchFields; libraries: readonly LibraryVersion[] },
): Html | null {
  const [only, ...rest] = searched
  if (only === undefined || rest.length > 0) return null
  const { library } = only
  const others = (versionsByLibrary(libraries)[library] ?? [])
    .filter((version) => version !== only.version)
    .toReversed()
  if (others.length === 0) return null
  const links = others.map(
    (version) =>
      html`<li><a href="${searchAddress({ ...fields, library, version })}">${version}</a></li>`,
  )
  return html`<details class="menu"><summary>Other versions</summary>
<ul aria-label="Other versions of ${library}">${links}</ul></details>`
}

function renderSuggestions({ suggest }: Doubt, fields: SearchFields): Html | null {
  if (suggest.length === 0) return null
  const lines = suggest.map(({ library, version, command }) =>
    version === null
      ? html`<li>${library} is not indexed. To add it: <code>${command}</code></li>`
      : html`<li>Try <a href="${searchAddress({ q: fields.q, library, version })}">${library} ${
          version
        }</a></li>`,
  )
  return html`<ul class="elsewhere">${lines}</ul>`
}

/** Shows the first steps. Lists the libraries unless the form already shows them. */
function renderWelcome(libraries: readonly LibraryVersion[], { library }: SearchFields): Html {
  if (libraries.length === 0) {
    return html`<div class="welcome">
<p>Nothing is indexed yet. Add a library in the terminal:</p>
<pre tabindex="0"><code>og add fastapi</code></pre></div>`
  }
  const all = versionsByLibrary(libraries)
  const names = Object.keys(all)
  const versions = (all[library] ?? []).toReversed()
  if (versions.length > 0) {
    const links = versions.map(
      (version) => html`<li><a href="${pagesAddress({ library, version })}">${version}</a></li>\n`,
    )
    return html`<div class="welcome"><h2>Pages of ${library}</h2><ul>${links}</ul></div>`
  }
  const rows = names.map(
    (name) => html`<li><a href="${searchAddress({ library: name })}">${name}</a></li>\n`,
  )
  return html`<div class="welcome"><p>Ask a question, or type the name of a function or an option.
 <kbd>Tab</kbd> after the name of a library searches only there; <kbd>?</kbd> lists all keys.</p>
${names.length > mostChips && html`<h2>Libraries</h2><ul>${rows}</ul>`}</div>`
}

const end = html`
</div>
</div>
<dialog id="keys" aria-labelledby="keys-title">
<h2 id="keys-title">Keys</h2>
<dl>
<dt><kbd>/</kbd></dt><dd>to the search</dd>
<dt><kbd>↓</kbd> <kbd>↑</kbd></dt><dd>to the next hit and the one before</dd>
<dt><kbd>Enter</kbd></dt><dd>reads the hit</dd>
<dt><kbd>Tab</kbd></dt><dd>after the name of a library: search there</dd>
<dt><kbd>Backspace</kbd></dt><dd>in an empty search: search everywhere</dd>
<dt><kbd>Esc</kbd></dt><dd>from a hit back to the search</dd>
<dt><kbd>?</kbd></dt><dd>this list</dd>
</dl>
<form method="dialog"><button class="quiet">Close</button></form>
</dialog>`

/** Maximum number of libraries shown as chips. A list needs less space for more of them. */
const mostChips = 14

export function searchForm(fields: SearchFields, libraries: readonly LibraryVersion[]): Html {
  const versions = versionsByLibrary(libraries)
  const { q, version, path, kind, language } = fields
  const isFiltered = [version, path, kind, language].some((value) => value !== '')
  const labels = (versions[fields.library] ?? []).toReversed()
  return html`<form class="asking" id="search" role="search" action="/" method="get">
<div class="box">
<label class="unseen" for="q">Search the documentation</label>
<input id="q" name="q" type="search" value="${q}" placeholder="Search the documentation"
 autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="20000" autofocus>
<kbd class="key" aria-hidden="true">/</kbd>
<button>Search</button>
</div>
${Object.keys(versions).length > 0 && scope(fields.library, Object.keys(versions))}
<details class="filters"${isFiltered && html` open`}>
<summary>Filters</summary>
<div class="fields">
<label>Version <input name="version" value="${version}" list="versions" autocomplete="off"
 placeholder="highest release"></label>
<datalist id="versions">${['all', ...labels].map((it) => html`<option value="${it}">`)}</datalist>
<label>Kind <select name="kind">${['', ...kindNames].map(
    (name) =>
      html`<option value="${name}"${name === kind && html` selected`}>${name || 'any'}</option>`,
  )}</select></label>
<label>Path <input name="path" value="${path}" placeholder="guide/**" autocomplete="off"></label>
<label>Language <input name="language" value="${language}" placeholder="any"
 autocomplete="off"></label>
</div>
</details>
</form>`
}

/** Renders the control that selects one library or all. */
function scope(chosen: string, names: readonly string[]): Html {
  const all = names.includes(chosen) || chosen === '' ? names : [chosen, ...names]
  if (all.length > mostChips) {
    return html`<div class="scope"><label>Library <select name="library">
<option value="">all</option>
${all.map((name) => html`<option${name === chosen && html` selected`}>${name}</option>`)}
</select></label></div>`
  }
  return html`<fieldset class="scope"><legend class="unseen">Library</legend>
${['', ...all].map(
  (name) =>
    html`<label class="chip"><input type="radio" name="library" value="${
      name
    }"${name === chosen && html` checked`}><span>${name || 'All'}</span></label>`,
)}
</fieldset>`
}

type CardContext = {
  query: string
  heads: ReadonlyMap<string, PageHead>
  /** True if the hit follows a better hit on the same page. */
  isMore?: boolean
}

export function hitCard(hit: Hit, { query, heads, isMore = false }: CardContext): Html {
  const { rank, title, heading, text, library, version, url, path } = hit
  const { startLine: from, endLine: to } = hit
  const href = readAddress({ library, version, url, from, to })
  const headings = heading.split(' > ').filter((part) => part !== '')
  const [first] = headings
  const all = title === '' || first === title ? headings : [title, ...headings]
  const name = all.at(-1) ?? url
  const above = all.slice(isMore ? 1 : 0, -1)
  // The page is missing if its version was replaced after the search.
  const markup = (heads.get(url)?.markup ?? 'markdown') as Markup
  const excerpt = excerptHtml({ text, markup, heading }, query)
  return html`<li class="hit${isMore && ' more'}" data-href="${href}">
<article aria-labelledby="hit-${rank}">
${above.length > 0 && html`<p class="above">${above.join(' › ')}</p>`}
<h2 id="hit-${rank}"><a href="${href}">${name}</a></h2>
${
  !isMore &&
  html`<p class="place"><span class="name">${library}</span> <span class="badge">${version}</span>
${sameIn(hit)} <span class="path">${path || url}</span></p>`
}
<details class="passage"${rank === 1 && html` open`}><summary><span class="line">${trustedHtml(
    excerptLine(excerpt),
  )}</span><span class="label">Passage</span></summary>
<div class="excerpt prose">${trustedHtml(
    resolveLinks(excerpt, { library, version, url, isPart: true }, heads),
  )}</div>
<div class="doing">
<details class="why"><summary>Why this hit</summary><dl>
${explainScore(hit.why).map(reason)}
</dl></details>
<button class="quiet" type="button" data-copy="${asMarkdown(hit)}">Copy as Markdown</button>
</div>
</details>
</article>
</li>
`
}

function sameIn({ version, versions }: Hit): Html | null {
  const others = versions.filter((other) => other !== version)
  return others.length === 0 ? null : html`<span class="same">same in ${others.join(', ')}</span>`
}

function reason(line: string): Html {
  return html`<dt>${line.slice(0, 6).trim()}</dt><dd>${line.slice(6).trim()}</dd>`
}

function asMarkdown({ text, library, version, url, anchor, startLine, endLine }: Hit): string {
  const place = anchor === null ? url : `${url}#${anchor}`
  const lines = `lines ${startLine}-${endLine}`
  return `${text.trim()}\n\nSource: ${place} (${library} ${version}, ${lines})\n`
}
