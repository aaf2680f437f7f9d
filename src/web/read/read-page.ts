import { outlinePage, type SectionText } from '../../search/excerpt/outline.ts'
import { lineAt } from '../../chunk/line.ts'
import { partBelow } from '../../api/page-symbols.ts'
import { OgError } from '../../platform/error.ts'
import type { PageHead } from '../../store/pages/page-table.ts'
import { trustedHtml, html, type Html } from '../html.ts'
import type { Route, PageContent, Visit } from '../visit.ts'
import { resolveLinks, readAddress } from './page-links.ts'
import { renderInSandbox } from './render-in-sandbox.ts'
import type { OgView } from '../../open.ts'
import { formatCount } from '../../platform/text/count.ts'
import {
  isIndex,
  labelText,
  orderedLeaves,
  sharedDepth,
  type Leaf,
} from '../../library/contents.ts'
import type { FullPage } from '../../library/library.ts'

export const readRoutes: readonly Route[] = [{ method: 'GET', path: '/read', answer: readPage }]

async function readPage({ og, params }: Visit): Promise<PageContent> {
  const [library, version] = [params.get('library') || null, params.get('version') || null]
  const page = await og.page({ url: params.get('url') ?? '', library, version })
  if (page === null) {
    throw new OgError(`No page has the address "${params.get('url') ?? ''}"`, { code: 'absent' })
  }
  const { library: name, version: label } = page
  const { lines, sections } = outlinePage(page)
  const here = linesOf(params.get('lines'))
  const anchors = sections
    .slice(1)
    .map(({ start, anchor }) => ({ line: lineAt(lines, start) + 1, anchor }))
  const heads = await og.pages({ library: name, version: label })
  const pieces = renderInSandbox({ text: page.text, markup: page.markup, anchors, here })
  const { tree, neighbours } = renderContents(page, heads)
  const main = html`<div class="reading">
${tree}
${outline(page, sections.slice(1))}
<article class="page prose">
${about(page, heads.get(page.url)?.path ?? '', await findOtherVersions(og, page))}
`
  return {
    title: page.title || page.url,
    main,
    library: page.library,
    rest: withLinks(pieces, { page, heads, neighbours }),
  }
}

/**
 * Yields the text with resolved links, then the closing tags. The first piece contains the marked
 * lines and the id `here`, to which the browser scrolls.
 */
async function* withLinks(
  pieces: AsyncIterable<string>,
  { page, heads, neighbours }: LinkedPage,
): AsyncGenerator<Html> {
  let isFirst = true
  for await (const piece of pieces) {
    const linked = resolveLinks(piece, page, heads)
    yield trustedHtml(isFirst ? linked.replace(' class="here', ' id="here" class="here') : linked)
    isFirst = false
  }
  yield html`
${neighbours}
</article>
</div>`
}

type LinkedPage = { page: FullPage; heads: ReadonlyMap<string, PageHead>; neighbours: Html | null }

function linesOf(text: string | null): { from: number; to: number } | null {
  const [, from, to = from] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(text ?? '') ?? []
  return from === undefined ? null : { from: Number(from), to: Number(to) }
}

function about(page: FullPage, path: string, others: OtherVersions): Html {
  const { library, url } = page
  const name = path.replace(/^\//, '') || url
  const isOnWeb = /^https?:\/\//i.test(url) && !isInArchive.test(url)
  const source = isOnWeb
    ? html`<a class="source" rel="noopener noreferrer" href="${url}">${name}</a>`
    : html`<span class="source" title="${url}">${name}</span>`
  return html`<div class="place"><span class="name">${library}</span> ${versionLinks(
    page,
    others,
  )} ${source}</div>`
}

/** Matches the URL of a file inside an archive, which no browser can open. */
const isInArchive = /\.(?:zip|whl|jar|gem|crate|nupkg|tgz|tar(?:\.\w+)?)\//i

function outline({ title }: FullPage, sections: readonly SectionText[]): Html | null {
  const isTitle = ({ path }: SectionText, at: number) => at === 0 && path.join() === title
  const few = sections.filter((it, at) => it.path.length <= 3 && !isTitle(it, at))
  if (few.length < 2) return null
  const lists = [...Map.groupBy(few, (_, i) => Math.floor(i / headingsPerList)).values()]
  return html`<nav class="outline" aria-label="On this page">
<details open><summary>On this page</summary>
<div class="lists">${lists.map(
    (some) =>
      html`<ul>${some.map(
        ({ path, anchor }) =>
          html`<li class="level-${path.length}"><a href="#${encodeURIComponent(
            anchor,
          )}">${withoutScope(path.at(-1)!, title)}</a></li>`,
      )}</ul>`,
  )}</div></details></nav>`
}

/** Removes the class name from a member's name, because the page title shows it. */
function withoutScope(heading: string, title: string): string {
  const part = partBelow(heading, title)
  return part === null || /^\s/.test(part) ? heading : part
}

/**
 * Number of headings per list. Browsers lay out lists below the window only when the reader scrolls
 * to them.
 */
const headingsPerList = 30

type OtherVersion = { version: string; url: string }

type OtherVersions = { others: (OtherVersion & { isNewer: boolean })[]; nMore: number }

/**
 * Finds the versions with a page of the same source path, newest first. If there are many versions,
 * opens only the newest ones and the neighbours of the page's own version. Skips damaged versions,
 * because opening them reports the damage.
 */
export async function findOtherVersions(og: OgView, page: FullPage): Promise<OtherVersions> {
  const { library, version, url } = page
  const path = (await og.pages({ library, version })).get(url)?.path
  if (path === undefined) return { others: [], nMore: 0 }
  const versions = (await og.list())
    .filter((one) => one.library === library)
    .map((one) => one.version)
    .reverse()
  const chosen = newestAndNearest(versions, version)
  const outcomes = await Promise.allSettled(
    chosen.map(async (other) => {
      const heads = await og.pages({ library, version: other })
      const same = [...heads.values()].find((head) => head.path === path)
      const isNewer = versions.indexOf(other) < versions.indexOf(version)
      return same === undefined ? [] : [{ version: other, url: same.url, isNewer }]
    }),
  )
  const others = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  return { others, nMore: versions.length - 1 - chosen.length }
}

/** Maximum number of versions to open. */
const mostVersions = 20

/**
 * Selects the newest versions and the neighbours of `own`, without `own` itself. `versions` is
 * sorted newest first.
 */
function newestAndNearest(versions: readonly string[], own: string): string[] {
  const at = versions.indexOf(own)
  const others = versions.filter((version) => version !== own)
  const from = Math.max(0, at - mostVersions / 4)
  const near = others.slice(from, from + mostVersions / 2)
  const newest = others
    .filter((version) => !near.includes(version))
    .slice(0, mostVersions - near.length)
  return others.filter((version) => near.includes(version) || newest.includes(version))
}

function versionLinks({ library, version, url }: FullPage, { others, nMore }: OtherVersions): Html {
  const own = { version, url }
  const link = (other: OtherVersions['others'][number]) => {
    const [from, to] = other.isNewer ? [own, other] : [other, own]
    return html`<li><a class="badge" data-same-place href="${readAddress({
      library,
      version: other.version,
      url: other.url,
    })}">${other.version}</a>
<a class="compare" href="${diffAddress({ library, from, to })}">compare<span class="unseen"> ${
      from.version
    } with ${to.version}</span></a></li>`
  }
  if (others.length === 0 && nMore <= 0) return html`<span class="badge">${version}</span>`
  const rest =
    nMore > 0 &&
    html`<li><a class="compare" href="/libraries">${formatCount(nMore, 'more version')}</a></li>`
  return html`<details class="menu"><summary><span class="unseen">Version </span><span
 class="badge">${version}</span></summary>
<ul aria-label="Other versions of this page">${others.map(link)}${rest}</ul></details>`
}

type Comparison = { library: string; from: OtherVersion; to: OtherVersion }

export function diffAddress({ library, from, to }: Comparison): string {
  const params = { library, from: from.version, to: to.version, was: from.url, url: to.url }
  return `/diff?${new URLSearchParams(params)}`
}

type OpenPage = { library: string; version: string; url: string }

type Contents = { tree: Html | null; neighbours: Html | null }

const mostLinks = 100

/**
 * Renders the folders of a library version as a tree. Expands only the folders above the open page.
 * Any other folder is a link to its first page, so that the tree of a large library stays small.
 */
export function renderContents(page: OpenPage, heads: ReadonlyMap<string, PageHead>): Contents {
  const leaves = orderedLeaves(heads)
  const at = leaves.findIndex(({ url }) => url === page.url)
  if (at < 0 || leaves.length < 2) return { tree: null, neighbours: null }
  const depth = leaves.some(({ isNav }) => isNav) ? 0 : depthOf(leaves)
  const tree = html`<nav class="contents" aria-label="Pages">
<details open><summary>Pages</summary>
${renderFolder(page, leaves, { open: leaves[at]!, depth })}</details></nav>`
  const link = (leaf: Leaf | undefined, rel: 'prev' | 'next', name: string) =>
    leaf !== undefined &&
    html`<a rel="${rel}" href="${readAddress({ ...page, url: leaf.url })}"><span
 class="soft">${name}</span> ${leaf.title}</a>`
  const neighbours = html`<nav class="neighbours" aria-label="Neighbours">${link(
    leaves[at - 1],
    'prev',
    'Previous',
  )}${link(leaves[at + 1], 'next', 'Next')}</nav>`
  return { tree, neighbours }
}

type Place = { open: Leaf; depth: number }

function renderFolder(page: OpenPage, leaves: readonly Leaf[], { open, depth }: Place): Html {
  const groups = [...Map.groupBy(leaves, ({ parts, url }) => groupKey(parts, depth) || url)]
  const at = groups.findIndex(([, some]) => some.includes(open))
  const from = Math.max(0, Math.min(at - mostLinks / 2, groups.length - mostLinks))
  const items = groups.slice(from, from + mostLinks).map(([, some]) => {
    const [first] = some
    const isPage = first!.parts.length === depth + 1
    const text = isPage ? null : labelText(first!.parts[depth]!)
    // A chain of folders that contain only one folder is shown as one folder.
    const within = isPage ? depth : Math.max(depth + 1, first!.isNav ? 0 : depthOf(some))
    const isOwnPage = isPage || (isIndex(first!.parts.at(-1)!) && text === null)
    const name = text ?? (isOwnPage ? first!.title : first!.parts[depth]!)
    // Top-level sections are always expanded, as in most generators.
    const isOpen = !isPage && (some.includes(open) || (text !== null && depth === 0))
    // A folder's link opens its index page.
    const below = isOwnPage && !isPage ? some.slice(1) : some
    const inner = isOpen && below.length > 0 && renderFolder(page, below, { open, depth: within })
    if (text !== null && isOpen)
      return html`<li class="section"><span>${name}</span>${inner}</li>\n`
    const mark = first === open && isOwnPage && html` aria-current="page"`
    return html`<li${!isPage && html` class="folder${isOpen && ' open'}"`}><a href="${readAddress({
      ...page,
      url: first!.url,
    })}"${mark}>${name}</a>${inner}</li>\n`
  })
  return html`<ul>${items}</ul>`
}

function depthOf(leaves: readonly Leaf[]): number {
  return sharedDepth(leaves.map(({ parts }) => parts))
}

/** Returns the folder below `depth` that contains a page, or '' for a page in this folder. */
function groupKey(parts: readonly string[], depth: number): string {
  return parts.length > depth + 1 ? `/${parts[depth]}` : ''
}
