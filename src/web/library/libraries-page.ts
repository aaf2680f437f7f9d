import type { StoredVersion } from '../../library/stored-versions.ts'
import { displayVersion } from '../../library/list.ts'
import { missingShare, renderNames } from '../../library/quality/missing-names.ts'
import { list } from '../../operation/library.ts'
import { formatBytes } from '../../platform/file/size.ts'
import { displaySource } from '../../store/source.ts'
import { html, type Html } from '../html.ts'
import { action, tokenField } from '../frame.ts'
import { searchAddress } from '../search/search-fields.ts'
import type { Route, PageContent, Visit } from '../visit.ts'
import { healthCell } from './health-page.ts'
import { jobList } from './jobs.ts'
import { pagesAddress } from './pages-page.ts'

export const libraryRoutes: readonly Route[] = [
  { method: 'GET', path: '/libraries', answer: librariesPage },
]

async function librariesPage(visit: Visit): Promise<PageContent> {
  const { value } = await list.run({ versions: visit.og.holdings }, { search_term: null })
  const holdings = value.libraries
  const isOpen = visit.ingest !== null
  const groups = [...Map.groupBy(holdings, ({ library }) => library)]
  const main = html`<div class="libraries">
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
${groups.map(([library, versions]) => card(visit, library, versions))}
</div>`
  return { title: 'Libraries', main, place: 'libraries' }
}

/**
 * Renders a library with its versions, newest first, each with the state that a rollback would
 * restore.
 */
function card(visit: Visit, library: string, versions: readonly StoredVersion[]): Html {
  return html`<section class="library">
<h2><a href="${searchAddress({ library })}">${library}</a></h2>
<div class="wide" tabindex="0"><table aria-label="Versions of ${library}">
<thead><tr><th scope="col">Version</th><th scope="col">Pages</th><th scope="col">Chunks</th>
<th scope="col">Size</th><th scope="col">Indexed</th><th scope="col">State</th>
<th scope="col">Health</th>${visit.ingest && html`<th scope="col">Change</th>`}</tr></thead>
<tbody>${[...versions].reverse().map((version) => rows(visit, version))}</tbody>
</table></div>
<p class="place">${[...new Set(versions.map(({ source }) => displaySource(source)))].join(', ')}</p>
</section>
`
}

function rows(visit: Visit, holding: StoredVersion): Html {
  const { library, version, bytes, previous, previousBytes } = holding
  const to = pagesAddress({ library, version })
  const change = visit.ingest && html`<td>${actions(visit, holding)}</td>`
  const current = html`<tr><th scope="row"><a href="${to}">${displayVersion(holding)}</a></th>
${figures(holding, bytes)}<td>${state(holding)}</td><td>${healthCell(visit, holding)}</td>${
    change
  }</tr>
`
  if (previous === null) return current
  const back =
    visit.ingest &&
    html`<td>${action(
      visit,
      { path: '/libraries/rollback', name: 'Roll back' },
      { library, version },
    )}</td>`
  return html`${current}<tr class="before"><th scope="row">before</th>
${figures(previous, previousBytes)}<td></td><td></td>${back}</tr>
`
}

type Figures = Pick<StoredVersion, 'pages' | 'chunks' | 'indexedAt'>

function figures({ pages, chunks, indexedAt }: Figures, bytes: number | null): Html {
  return html`<td class="right">${pages.toLocaleString('en')}</td>
<td class="right">${chunks.toLocaleString('en')}</td>
<td class="right">${bytes === null ? '' : formatBytes(bytes)}</td>
<td><time datetime="${indexedAt}">${indexedAt.slice(0, 16).replace('T', ' ')}</time></td>`
}

/**
 * Returns the reasons why an index is outdated or incomplete, each with the command that repairs
 * it.
 */
function state({ library, stale, embedded, names }: StoredVersion): Html {
  const soFar =
    embedded !== null &&
    html`<span class="badge warns">words only so far: ${embedded} by meaning</span> `
  const others = stale.map(({ what, remedy }) => html`${what}: <code>${remedy} ${library}</code> `)
  const lacking =
    names?.missing &&
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

function addForm({ formToken }: Visit, names: readonly string[]): Html {
  return html`<details class="adding"><summary>Add a library</summary>
<form method="post" action="/libraries/add">${tokenField(formToken)}
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
