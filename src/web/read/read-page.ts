import { outlineOf, type OwnText } from '../../search/excerpt/outline.ts'
import { lineAt } from '../../chunk/line.ts'
import type { FullPage } from '../../library/page.ts'
import { OgError } from '../../platform/error.ts'
import type { PageHead } from '../../store/pages/page-table.ts'
import { alreadySafe, html, type Html } from '../html.ts'
import type { Route, Shape, Visit } from '../visit.ts'
import { otherVersions, versionLinks, type OtherVersions } from './other-versions.ts'
import { resolveLinks } from './page-links.ts'
import { renderInSandbox } from './shown-aside.ts'

export const readRoutes: readonly Route[] = [{ method: 'GET', path: '/read', answer: readPage }]

async function readPage({ og, params }: Visit): Promise<Shape> {
  const [library, version] = [params.get('library') || null, params.get('version') || null]
  const page = await og.page({ url: params.get('url') ?? '', library, version })
  if (page === null) {
    throw new OgError(`No page has the address "${params.get('url') ?? ''}"`, { code: 'absent' })
  }
  const { library: name, version: label } = page
  const { lines, sections } = outlineOf(page)
  const here = linesOf(params.get('lines'))
  const anchors = sections
    .slice(1)
    .map(({ start, anchor }) => ({ line: lineAt(lines, start) + 1, anchor }))
  const heads = await og.pages({ library: name, version: label })
  const shown = renderInSandbox({ text: page.text, markup: page.markup, anchors, here })
  const main = html`<div class="reading">
${outline(sections.slice(1))}
<article class="page prose">
${about(page, await otherVersions(og, page))}
`
  return { title: page.title || page.url, main, rest: withLinks(shown, page, heads) }
}

/**
 * Yields the text with resolved links, then the closing tags. The first piece contains the marked
 * lines; it gets the ID `here`, which the browser scrolls to.
 */
async function* withLinks(
  shown: AsyncIterable<string>,
  page: FullPage,
  heads: ReadonlyMap<string, PageHead>,
): AsyncGenerator<Html> {
  let isFirst = true
  for await (const piece of shown) {
    const linked = resolveLinks(piece, page, heads)
    yield alreadySafe(isFirst ? linked.replace(' class="here', ' id="here" class="here') : linked)
    isFirst = false
  }
  yield html`
</article>
</div>`
}

function linesOf(typed: string | null): { from: number; to: number } | null {
  const [, from, to = from] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(typed ?? '') ?? []
  return from === undefined ? null : { from: Number(from), to: Number(to) }
}

function about(page: FullPage, others: OtherVersions): Html {
  const { library, url } = page
  const isOfWeb = /^https?:\/\//i.test(url)
  const source = isOfWeb
    ? html`<a class="source" rel="noopener noreferrer" href="${url}">${url}</a>`
    : html`<span class="source">${url}</span>`
  return html`<div class="place"><span class="name">${library}</span> ${versionLinks(
    page,
    others,
  )} ${source}</div>`
}

function outline(sections: readonly OwnText[]): Html | null {
  const few = sections.filter(({ path }) => path.length <= 3)
  if (few.length < 2) return null
  const lists = [...Map.groupBy(few, (_, i) => Math.floor(i / headingsPerList)).values()]
  return html`<nav class="outline" aria-label="On this page">
<details open><summary>On this page</summary>
<div class="lists">${lists.map(
    (some) =>
      html`<ul>${some.map(
        ({ path, anchor }) =>
          html`<li class="level-${path.length}"><a href="#${encodeURIComponent(anchor)}">${path.at(
            -1,
          )}</a></li>`,
      )}</ul>`,
  )}</div></details></nav>`
}

/**
 * Headings per list. Browsers do not lay out the lists below the window until they are scrolled to.
 */
const headingsPerList = 30
