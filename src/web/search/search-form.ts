import type { LibraryVersion } from '../../library/library.ts'
import { versionsByLibrary } from '../../library/list.ts'
import { html, type Html } from '../html.ts'
import { kindNames, type SearchFields } from './search-fields.ts'

/** Libraries shown as chips at most; for more, a list takes less room. */
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
<label>Kind <select name="kind">${['', ...kindNames].map((name) => html`<option value="${name}"${
    name === kind && html` selected`}>${name || 'any'}</option>`)}</select></label>
<label>Path <input name="path" value="${path}" placeholder="guide/**" autocomplete="off"></label>
<label>Language <input name="language" value="${language}" placeholder="any"
 autocomplete="off"></label>
</div>
</details>
</form>`
}

/** The choice of the library to search: one, or all. */
function scope(chosen: string, names: readonly string[]): Html {
  const all = names.includes(chosen) || chosen === '' ? names : [chosen, ...names]
  if (all.length > mostChips) {
    return html`<div class="scope"><label>Library <select name="library">
<option value="">all</option>
${all.map((name) => html`<option${name === chosen && html` selected`}>${name}</option>`)}
</select></label></div>`
  }
  return html`<fieldset class="scope"><legend class="unseen">Library</legend>
${['', ...all].map((name) => html`<label class="chip"><input type="radio" name="library" value="${
    name}"${name === chosen && html` checked`}><span>${name || 'All'}</span></label>`)}
</fieldset>`
}
