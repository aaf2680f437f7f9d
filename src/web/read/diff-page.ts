import { diffSections, type SectionChange } from '../../page/diff.ts'
import { linePairs, type LinePair } from '../../page/line-diff.ts'
import { OgError } from '../../platform/error.ts'
import { html, type Html } from '../html.ts'
import type { Route, PageContent, Visit } from '../visit.ts'
import { readAddress } from './page-links.ts'
import type { FullPage } from '../../library/library.ts'

export const diffRoutes: readonly Route[] = [{ method: 'GET', path: '/diff', answer: diffPage }]

/** Compares two versions of a page, side by side and section by section. */
async function diffPage(visit: Visit): Promise<PageContent> {
  const { params } = visit
  const [was, now] = await Promise.all([
    pageIn(visit, { url: params.get('was'), version: params.get('from') }),
    pageIn(visit, { url: params.get('url'), version: params.get('to') }),
  ])
  const changes = diffSections(was, now)
  const main = html`<div class="comparing">
<h1>${now.title || now.url}</h1>
<p class="place"><span class="name">${now.library}</span> ${versionLink(was)} → ${versionLink(
    now,
  )}</p>
${changes.length === 0 && html`<p>Both versions are identical.</p>`}
${changes.map((change) => renderSection(change, { was, now }))}
</div>`
  return { title: `${now.title}: ${was.version} and ${now.version}`, main }
}

async function pageIn(
  { og, params }: Visit,
  { url, version }: { url: string | null; version: string | null },
): Promise<FullPage> {
  const library = params.get('library')
  const page = await og.page({ url: url ?? '', library: library || null, version: version || null })
  if (page !== null) return page
  const place = `${library ?? ''} ${version ?? ''}`
  throw new OgError(`No page of ${place} has the address "${url ?? ''}"`, { code: 'absent' })
}

function versionLink({ library, version, url }: FullPage): Html {
  return html`<a class="badge" href="${readAddress({ library, version, url })}">${version}</a>`
}

type Sides = { was: FullPage; now: FullPage }

function renderSection({ heading, before, after }: SectionChange, { was, now }: Sides): Html {
  const what = before === null ? 'added' : after === null ? 'removed' : 'changed'
  const rows = rowsOf(linePairs(before ?? '', after ?? ''))
  const name = heading || 'Before the first heading'
  const versions = [was, now].map(({ version }) => html`<th scope="col">${version}</th>`)
  return html`<section class="change">
<h2>${name} <span class="badge ${what}">${what}</span></h2>
<table class="sides" aria-label="${name}"><thead><tr>${versions}</tr></thead>
<tbody>${rows}</tbody></table>
</section>
`
}

const nContext = 3

function rowsOf(pairs: readonly LinePair[]): Html[] {
  const changed = pairs.flatMap((pair, i) => (pair.before === pair.after ? [] : [i]))
  const visible = new Set(
    changed.flatMap((i) => Array.from({ length: 2 * nContext + 1 }, (_, k) => i + k - nContext)),
  )
  const rows: Html[] = []
  let left = 0
  pairs.forEach((pair, i) => {
    const isLast = i === pairs.length - 1
    if (!visible.has(i)) left++
    if (left > 0 && (visible.has(i) || isLast)) {
      rows.push(html`<tr><td class="left" colspan="2">${left} the same</td></tr>\n`)
      left = 0
    }
    if (visible.has(i)) rows.push(row(pair))
  })
  return rows
}

function row({ before, after }: LinePair): Html {
  const isSame = before === after
  return html`<tr>${cell(before, isSame ? '' : 'was')}${cell(after, isSame ? '' : 'now')}</tr>\n`
}

function cell(line: string | null, change: string): Html {
  if (line === null) return html`<td class="none"></td>`
  const text = change === 'was' ? html`<del>${line}</del>` : html`<ins>${line}</ins>`
  return change === '' ? html`<td>${line}</td>` : html`<td class="${change}">${text}</td>`
}
