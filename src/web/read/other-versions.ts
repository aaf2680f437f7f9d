import type { FullPage } from '../../library/page.ts'
import type { OgView } from '../../open.ts'
import { html, type Html } from '../html.ts'
import { readAddress } from './read-address.ts'

/** The same page in another version. */
export type OtherVersion = { version: string; url: string }

/** Other versions that have the page; `nMore` is the number of versions not looked at. */
export type OtherVersions = { others: OtherVersion[]; nMore: number }

/**
 * The versions that have a page of the same path in the source, newest name first. Damaged
 * versions are left out here: they report the damage when they are opened.
 */
export async function otherVersions(og: OgView, page: FullPage): Promise<OtherVersions> {
  const { library, version, url } = page
  const path = (await og.pages({ library, version })).get(url)?.path
  if (path === undefined) return { others: [], nMore: 0 }
  const versions = (await og.list())
    .filter((one) => one.library === library && one.version !== version)
    .map((one) => one.version).reverse()
  const nearest = versions.slice(0, mostVersions)
  const settled = await Promise.allSettled(nearest.map(async (other) => {
    const heads = await og.pages({ library, version: other })
    const same = [...heads.values()].find((head) => head.path === path)
    return same === undefined ? [] : [{ version: other, url: same.url }]
  }))
  const others = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  return { others, nMore: versions.length - nearest.length }
}

/** Versions looked at, at most: each has to be opened. */
const mostVersions = 20

/** Links to the page in the other versions, and to a comparison with each. */
export function versionLinks(
  { library, version, url }: FullPage,
  { others, nMore }: OtherVersions,
): Html {
  return html`<ul class="versions" aria-label="Versions">
<li><span class="badge" aria-current="true">${version}</span></li>
${others.map((other) => html`<li><a class="badge" data-same-place href="${
    readAddress({ library, version: other.version, url: other.url })}">${other.version}</a>
<a class="compare" href="${
    diffAddress({ library, from: other, to: { version, url } })}">compare<span class="unseen"> ${
    version} with ${other.version}</span></a></li>`)}
${nMore > 0 && html`<li><a class="compare" href="/libraries">${nMore} more ${
    nMore === 1 ? 'version' : 'versions'}</a></li>`}
</ul>`
}

type Compared = { library: string; from: OtherVersion; to: OtherVersion }

export function diffAddress({ library, from, to }: Compared): string {
  const params = { library, from: from.version, to: to.version, was: from.url, url: to.url }
  return `/diff?${new URLSearchParams(params)}`
}
