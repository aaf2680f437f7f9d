import type { FullPage } from '../../library/page.ts'
import type { OgView } from '../../open.ts'
import { html, type Html } from '../html.ts'
import { countOf } from '../../platform/text/counted.ts'
import { readAddress } from './read-address.ts'

/** The same page in another version. */
type OtherVersion = { version: string; url: string }

/** Other versions that contain the page; `nMore` counts the versions that were not opened. */
export type OtherVersions = { others: OtherVersion[]; nMore: number }

/**
 * Finds the versions that have a page with the same source path, newest first. If there are many
 * versions, it opens only the newest and the neighbours of the page's own. It skips damaged
 * versions without an error: opening them reports the damage.
 */
export async function otherVersions(og: OgView, page: FullPage): Promise<OtherVersions> {
  const { library, version, url } = page
  const path = (await og.pages({ library, version })).get(url)?.path
  if (path === undefined) return { others: [], nMore: 0 }
  const versions = (await og.list())
    .filter((one) => one.library === library)
    .map((one) => one.version)
    .reverse()
  const chosen = newestAndNearest(versions, version)
  const settled = await Promise.allSettled(
    chosen.map(async (other) => {
      const heads = await og.pages({ library, version: other })
      const same = [...heads.values()].find((head) => head.path === path)
      return same === undefined ? [] : [{ version: other, url: same.url }]
    }),
  )
  const others = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  return { others, nMore: versions.length - 1 - chosen.length }
}

/** Maximum number of versions to look up: each has to be opened. */
const mostVersions = 20

/**
 * From `versions`, sorted newest first, selects the newest and the neighbours of `own`, without
 * `own`.
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

/**
 * Maximum number of links shown at once. Keyboard users have to tab through all of them to reach
 * the text.
 */
const mostShown = 5

/** Links to the page in the other versions, each with a link to the comparison. */
export function versionLinks(
  { library, version, url }: FullPage,
  { others, nMore }: OtherVersions,
): Html {
  const link = (
    other: OtherVersion,
  ) => html`<li><a class="badge" data-same-place href="${readAddress({
    library,
    version: other.version,
    url: other.url,
  })}">${other.version}</a>
<a class="compare" href="${diffAddress({
    library,
    from: other,
    to: { version, url },
  })}">compare<span class="unseen"> ${version} with ${other.version}</span></a></li>`
  const nShown = others.length > mostShown + 1 ? mostShown : others.length
  const [shown, folded] = [others.slice(0, nShown), others.slice(nShown)]
  const rest =
    nMore > 0 &&
    html`<li><a class="compare" href="/libraries">${countOf(nMore, 'more version')}</a></li>`
  return html`<ul class="versions" aria-label="Versions">
<li><span class="badge" aria-current="true">${version}</span></li>
${shown.map(link)}
${
  folded.length > 0 &&
  html`<li><details><summary>${folded.length} others</summary>
<ul class="versions" aria-label="More versions">${folded.map(link)}${rest}</ul></details></li>`
}
${folded.length === 0 && rest}
</ul>`
}

type Comparison = { library: string; from: OtherVersion; to: OtherVersion }

export function diffAddress({ library, from, to }: Comparison): string {
  const params = { library, from: from.version, to: to.version, was: from.url, url: to.url }
  return `/diff?${new URLSearchParams(params)}`
}
