import type { Holding } from '../../library/holdings.ts'
import { shownBytes } from '../../platform/file/size.ts'
import { sourcePlace } from '../../store/source.ts'
import { html, type Html } from '../html.ts'
import { addressOf } from '../search/asked.ts'
import type { Route, Shape, Visit } from '../visit.ts'
import { pagesAddress } from './pages-page.ts'

export const libraryRoutes: readonly Route[] = [
  { method: 'GET', path: '/libraries', answer: librariesPage },
]

/** What is indexed: what `og list` shows, and what can be done with it. */
async function librariesPage({ og }: Visit): Promise<Shape> {
  const found = await og.holdings()
  const groups = [...Map.groupBy(found, ({ library }) => library)]
  const main = html`<div class="libraries">
<h1>Libraries</h1>
${found.length === 0 && html`<p>Nothing is indexed yet. A library is added at the terminal:</p>
<pre tabindex="0"><code>og add fastapi</code></pre>`}
${groups.map(([library, versions]) => card(library, versions))}
</div>`
  return { title: 'Libraries', main, place: 'libraries' }
}

/** One library; its versions newest name first. */
function card(library: string, versions: readonly Holding[]): Html {
  return html`<section class="library">
<h2><a href="${addressOf({ library })}">${library}</a></h2>
<div class="wide" tabindex="0"><table>
<thead><tr><th scope="col">Version</th><th scope="col">Pages</th><th scope="col">Chunks</th>
<th scope="col">Size</th><th scope="col">Indexed</th><th scope="col">Stale</th></tr></thead>
<tbody>${[...versions].reverse().map(row)}</tbody>
</table></div>
<p class="place">${[...new Set(versions.map(({ source }) => sourcePlace(source)))].join(', ')}</p>
</section>
`
}

function row(holding: Holding): Html {
  const { library, version, pages, chunks, bytes, indexedAt, stale } = holding
  const day = indexedAt.slice(0, 16).replace('T', ' ')
  const state = stale.length === 0
    ? '–'
    : stale.map(({ what, remedy }) => html`${what}: <code>${remedy} ${library}</code> `)
  const to = pagesAddress({ library, version })
  return html`<tr><th scope="row"><a href="${to}">${version}</a></th>
<td class="right">${pages.toLocaleString('en')}</td>
<td class="right">${chunks.toLocaleString('en')}</td>
<td class="right">${shownBytes(bytes)}</td>
<td><time datetime="${indexedAt}">${day}</time></td><td>${state}</td></tr>
`
}
