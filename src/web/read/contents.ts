import type { PageHead } from '../../store/pages/page-table.ts'
import { html, type Html } from '../html.ts'
import {
  isIndex,
  labelText,
  orderedLeaves,
  sharedDepth,
  type Leaf,
} from '../../library/contents.ts'
import { readAddress } from './read-address.ts'

type OpenPage = { library: string; version: string; url: string }

type Contents = { tree: Html | null; neighbours: Html | null }

const mostLinks = 100

/**
 * Renders the folders of a library version as a tree. Only the folders above the open page are
 * expanded; any other folder is a link to its first page, so that the tree of a large library stays
 * small.
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
    // A chain of folders that each contain nothing but the next one is shown as one folder.
    const within = isPage ? depth : Math.max(depth + 1, first!.isNav ? 0 : depthOf(some))
    const isOwnPage = isPage || (isIndex(first!.parts.at(-1)!) && text === null)
    const name = text ?? (isOwnPage ? first!.title : first!.parts[depth]!)
    // Sections at the top are always open, as on the pages of most generators.
    const isOpen = !isPage && (some.includes(open) || (text !== null && depth === 0))
    // The link of a folder opens its index page.
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

/**
 * Returns the folder below `depth` that contains a page; '' if the page is directly in this folder.
 */
function groupKey(parts: readonly string[], depth: number): string {
  return parts.length > depth + 1 ? `/${parts[depth]}` : ''
}
