import { type StoredVersion, displayVersion } from '../../library/list.ts'
import { missingShare, renderNames } from '../../library/quality/missing-names.ts'
import { list } from '../../operation/library.ts'
import { formatBytes } from '../../platform/file/space.ts'
import { formatCount } from '../../platform/text/count.ts'
import { displaySource } from '../../store/source.ts'
import { html, type Html } from '../html.ts'
import { action, hiddenFields } from '../frame.ts'
import { searchAddress } from '../search/search-fields.ts'
import type { Route, PageContent, Visit } from '../visit.ts'
import { healthCell } from './health-page.ts'
import { jobList } from './jobs.ts'
import { pagesAddress } from '../read/page-links.ts'

export const libraryRoutes: readonly Route[] = [
  { method: 'GET', path: '/libraries', answer: librariesPage },
]

async function librariesPage(visit: Visit): Promise<PageContent> {
  const { value } = await list.run({ versions: visit.og.holdings }, { search_term: null })
  const holdings = value.libraries
  const isOpen = visit.ingest !== null
  const main = html`<div class="libraries all">
<h1>Libraries</h1>
${isOpen && addForm(visit, await visit.knownSources())}
<div id="jobs" role="group" aria-label="Jobs">${await jobList(visit)}</div>
${holdings.length === 0 && html`<p>Nothing is indexed yet.</p>`}
${
  holdings.length === 0 &&
  !isOpen &&
  html`<p>Add a library in the terminal:</p>
<pre tabindex="0"><code>og add fastapi</code></pre>`
}
${holdings.length > 0 && libraryTable(visit, holdings)}
</div>`
  return { title: 'Libraries', main, place: 'libraries' }
}

type Column = {
  key: string
  name: string
  /** Undefined for columns that cannot be sorted. */
  compare?: (a: StoredVersion, b: StoredVersion) => number
}

/** Numbers and times sort in descending order. */
const columns: readonly Column[] = [
  { key: 'library', name: 'Library', compare: () => 0 },
  { key: 'version', name: 'Version' },
  { key: 'state', name: 'State', compare: (a, b) => problemsOf(b) - problemsOf(a) },
  { key: 'health', name: 'Health' },
  { key: 'pages', name: 'Pages', compare: (a, b) => b.pages - a.pages },
  { key: 'size', name: 'Size', compare: (a, b) => (b.bytes ?? 0) - (a.bytes ?? 0) },
  {
    key: 'indexed',
    name: 'Indexed',
    compare: (a, b) => Date.parse(b.indexedAt) - Date.parse(a.indexedAt),
  },
]

function problemsOf({ stale, embedded, names }: StoredVersion): number {
  return stale.length + Number(embedded !== null) + Number((names?.missing ?? 0) > 0)
}

/** Renders one row per library version. The URL determines the order and the filter. */
function libraryTable(visit: Visit, holdings: readonly StoredVersion[]): Html {
  const find = (visit.params.get('find') ?? '').trim()
  const sort =
    columns.find((it) => it.compare && it.key === visit.params.get('sort')) ?? columns[0]!
  const isReversed = visit.params.get('order') === 'reverse'
  const contains = (text: string) => text.toLowerCase().includes(find.toLowerCase())
  // By name, and the versions of a library newest first.
  const groups = [...Map.groupBy(holdings, ({ library }) => library).values()]
  const matches = groups
    .flatMap((versions) => versions.toReversed())
    .filter((one) => contains(one.library) || contains(one.version) || contains(sourceOf(one)))
    .sort(sort.compare)
  const of = find === '' ? '' : `${matches.length} of `
  const count = of + formatCount(holdings.length, 'version')
  const rows = isReversed ? matches.toReversed() : matches
  const heads = columns.map((it) => columnHead(it, { isSorted: it === sort, isReversed, find }))
  return html`<form class="finding" method="get" action="/libraries">
<label class="unseen" for="find">Find a library by its name, version or source</label>
<input id="find" name="find" type="search" value="${find}" placeholder="name, version or source">
<input type="hidden" name="sort" value="${sort.key}">
<button>Find</button>
</form>
<p class="count">${count}</p>
<div class="wide" tabindex="0"><table aria-label="Libraries">
<thead><tr>${heads}${visit.ingest && html`<th scope="col">Change</th>`}</tr></thead>
<tbody>${rows.map((holding) => row(visit, holding))}</tbody>
</table></div>
`
}

type HeadState = { isSorted: boolean; isReversed: boolean; find: string }

function columnHead({ key, name, compare }: Column, state: HeadState): Html {
  if (compare === undefined) return html`<th scope="col">${name}</th>`
  const { isSorted, isReversed, find } = state
  const isDescending = isReversed === (key === 'library')
  const order = isSorted && html` aria-sort="${isDescending ? 'descending' : 'ascending'}"`
  const params = new URLSearchParams({ sort: key })
  if (isSorted && !isReversed) params.set('order', 'reverse')
  if (find !== '') params.set('find', find)
  return html`<th scope="col"${order}><a href="/libraries?${String(params)}">${name}</a></th>`
}

function row(visit: Visit, holding: StoredVersion): Html {
  const { library, version, pages, chunks, bytes, indexedAt } = holding
  // Only phones show the unit, because they hide column headings.
  const unit = html`<span class="unit"> ${pages === 1 ? 'page' : 'pages'}</span>`
  return html`<tr class="library"><th scope="row"><a href="${searchAddress({ library })}">${
    library
  }</a> <span class="place">${sourceOf(holding)}</span></th>
<td><a href="${pagesAddress({ library, version })}">${displayVersion(holding)}</a></td>
<td>${state(holding)}</td>
<td>${healthCell(visit, holding)}</td>
<td class="right" title="${formatCount(chunks, 'chunk')}">${pages.toLocaleString('en')}${unit}</td>
<td class="right">${bytes === null ? '' : formatBytes(bytes)}</td>
<td>${timeOf(indexedAt)}${before(visit, holding)}</td>${
    visit.ingest && html`<td>${actions(visit, holding)}</td>`
  }</tr>
`
}

/** Shows the package name instead of the URL of its archive. */
function sourceOf({ pack, source }: StoredVersion): string {
  return pack ?? source.package ?? displaySource(source)
}

function timeOf(indexedAt: string): Html {
  return html`<time datetime="${indexedAt}">${indexedAt.slice(0, 16).replace('T', ' ')}</time>`
}

/** Describes the state that a rollback would restore. */
function before(visit: Visit, { library, version, previous, previousBytes }: StoredVersion) {
  if (previous === null) return null
  const size = previousBytes === null ? '' : `, ${formatBytes(previousBytes)}`
  const button = { path: '/libraries/rollback', name: 'Roll back' }
  return html` <span class="before">before: ${timeOf(previous.indexedAt)}, ${formatCount(
    previous.pages,
    'page',
  )}${size} ${visit.ingest && action(visit, button, { library, version })}</span>`
}

/** Lists the reasons why an index is outdated or incomplete, each with a repair command. */
function state({ library, stale, embedded, names }: StoredVersion): Html {
  const soFar =
    embedded !== null &&
    html`<span class="badge warns">words only so far: ${embedded} by meaning</span> `
  const others = stale.map(({ what, remedy }) => html`${what}: <code>${remedy} ${library}</code> `)
  const lacking =
    names != null &&
    names.missing > 0 &&
    html`<span class="badge warns" title="${renderNames(names)}">${missingShare(names)}</span> `
  const isWhole = stale.length === 0 && !lacking
  return html`${soFar}${lacking}${isWhole ? 'as it should be' : others}`
}

function actions(visit: Visit, { library, version, embedded }: StoredVersion): Html {
  const place = { library, version }
  const button = (name: string, path: string) => action(visit, { name, path }, place)
  const resume = embedded !== null && button('Resume', '/libraries/resume')
  const update = button('Update', '/libraries/update')
  return html`<div class="actions">${resume}${update}
<a href="/libraries/remove?${String(new URLSearchParams(place))}">Remove</a></div>`
}

function addForm(visit: Visit, names: readonly string[]): Html {
  return html`<details class="adding"><summary>Add a library</summary>
<form method="post" action="/libraries/add">${hiddenFields(visit)}
<div class="fields">
<label>Name <input name="library" list="known" required maxlength="100" autocomplete="off"></label>
<datalist id="known">${names.map((name) => html`<option value="${name}">`)}</datalist>
<label>Source <input name="source" placeholder="known by its name" autocomplete="off"></label>
<label>Version <input name="version" placeholder="newest" autocomplete="off"></label>
</div>
<p class="hint">A source is the public address of a git repository, a site, a sitemap or an archive.
 Well-known libraries, and those of which a registry has a pack, need none.</p>
<button>Add</button>
</form></details>`
}
