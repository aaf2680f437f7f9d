import { OgError } from '../../platform/error.ts'
import { formatCount } from '../../platform/text/count.ts'
import type { PageHead } from '../../store/pages/page-table.ts'
import { html, type Html } from '../html.ts'
import { readAddress, pagesAddress } from '../read/page-links.ts'
import type { Route, PageContent, Visit } from '../visit.ts'

type Version = { library: string; version: string }

export const pagesRoutes: readonly Route[] = [
  { method: 'GET', path: '/pages', answer: pagesPage },
  { method: 'GET', path: '/chunks', answer: chunksPage },
]

const mostPages = 500

async function pagesPage({ og, params }: Visit): Promise<PageContent> {
  const place = placeOf(params)
  const filter = (params.get('find') ?? '').trim()
  const all = [...(await og.pages(place)).values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  const holds = (text: string) => text.toLowerCase().includes(filter.toLowerCase())
  const matches = all.filter(({ path, title, url }) => holds(path) || holds(title) || holds(url))
  const count = (filter === '' ? '' : `${matches.length} of `) + formatCount(all.length, 'page')
  const more = matches.length > mostPages ? `; the first ${mostPages} are shown` : ''
  const main = html`<div class="libraries">
<p class="place"><a href="/libraries">Libraries</a></p>
<h1>${place.library} <span class="badge">${place.version}</span></h1>
<form class="finding" method="get" action="/pages">
<input type="hidden" name="library" value="${place.library}">
<input type="hidden" name="version" value="${place.version}">
<label class="unseen" for="find">Find a page by its path or title</label>
<input id="find" name="find" type="search" value="${filter}" placeholder="path or title">
<button>Find</button>
</form>
<p class="count">${count}${more}</p>
<ul class="pages">${matches.slice(0, mostPages).map((head) => pageLine(place, head))}</ul>
</div>`
  return {
    title: `${place.library} ${place.version}`,
    main,
    place: 'libraries',
    library: place.library,
  }
}

function placeOf(params: URLSearchParams): Version {
  const [library, version] = [params.get('library') ?? '', params.get('version') ?? '']
  if (library !== '' && version !== '') return { library, version }
  throw new OgError('The URL contains no library and version')
}

function pageLine(place: Version, { url, path, title }: PageHead): Html {
  const chunks = `/chunks?${new URLSearchParams({ ...place, url })}`
  return html`<li><a href="${readAddress({ ...place, url })}">${title || path || url}</a>
<span class="path">${path || url}</span> <a class="compare" href="${chunks}">chunks<span
 class="unseen"> of ${title || path}</span></a></li>
`
}

async function chunksPage({ og, params }: Visit): Promise<PageContent> {
  const place = placeOf(params)
  const url = params.get('url') ?? ''
  const chunks = await og.chunks({ ...place, url })
  if (chunks.length === 0) {
    throw new OgError(`No page has the address "${url}"`, { code: 'absent' })
  }
  const cards = chunks.map(({ heading, text, terms, startLine: from, endLine: to }, i) => {
    const lines = readAddress({ ...place, url, from, to })
    return html`<li><article>
<h2><span class="soft">${i + 1}</span> ${heading || 'Before the first heading'}</h2>
<p class="place"><a href="${lines}">lines ${from}-${to}</a>, ${text.length} characters</p>
<pre tabindex="0">${text}</pre>
<details><summary>${terms.length} terms</summary><p class="terms">${terms.join(' ')}</p></details>
</article></li>
`
  })
  const main = html`<div class="libraries">
<p class="place"><a href="${pagesAddress(place)}">${place.library} ${place.version}</a></p>
<h1>${formatCount(chunks.length, 'chunk')} of a page</h1>
<p class="place"><a href="${readAddress({ ...place, url })}">${url}</a></p>
<ol class="chunks">${cards}</ol>
</div>`
  return { title: `Chunks of ${url}`, main, place: 'libraries' }
}
