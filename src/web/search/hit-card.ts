import type { Hit } from '../../library/library.ts'
import { whyLines } from '../../mcp/docs/render-why.ts'
import type { Markup } from '../../page/page.ts'
import type { PageHead } from '../../store/pages/page-table.ts'
import { alreadySafe, html, type Html } from '../html.ts'
import { linkedHtml } from '../read/page-links.ts'
import { readAddress } from '../read/read-address.ts'
import { excerptHtml } from './excerpt-html.ts'

/** One hit: its place, an excerpt, the reason for its rank and a button to copy it. */
export function hitCard(
  hit: Hit,
  { query, heads }: { query: string; heads: ReadonlyMap<string, PageHead> },
): Html {
  const { rank, title, heading, text, library, version, url, path } = hit
  const { startLine: from, endLine: to } = hit
  const href = readAddress({ library, version, url, from, to })
  const headings = heading.split(' > ').filter((part) => part !== '')
  const [first] = headings
  const all = title === '' || first === title ? headings : [title, ...headings]
  const name = all.at(-1) ?? url
  const above = all.slice(0, -1)
  // Unknown where the version was replaced since the search.
  const markup = (heads.get(url)?.markup ?? 'markdown') as Markup
  const excerpt = excerptHtml({ text, markup, heading }, query)
  return html`<li class="hit" data-href="${href}">
<article aria-labelledby="hit-${rank}">
${above.length > 0 && html`<p class="above">${above.join(' › ')}</p>`}
<h2 id="hit-${rank}"><a href="${href}">${name}</a></h2>
<p class="place"><span class="name">${library}</span> <span class="badge">${version}</span>
${sameIn(hit)} <span class="path">${path || url}</span></p>
<div class="excerpt prose">${
  alreadySafe(linkedHtml(excerpt, { library, version, url, isPart: true }, heads))}</div>
<div class="doing">
<details class="why"><summary>Why this hit</summary><dl>
${whyLines(hit.why).map(reason)}
</dl></details>
<button class="quiet" type="button" data-copy="${asMarkdown(hit)}">Copy as Markdown</button>
</div>
</article>
</li>
`
}

function sameIn({ version, versions }: Hit): Html | null {
  const others = versions.filter((other) => other !== version)
  return others.length === 0 ? null : html`<span class="same">same in ${others.join(', ')}</span>`
}

/** A line of the explanation: the score that it adds, and the reason. */
function reason(line: string): Html {
  return html`<dt>${line.slice(0, 6).trim()}</dt><dd>${line.slice(6).trim()}</dd>`
}

/** The text of the hit with its source, to paste into a chat with an agent. */
function asMarkdown({ text, library, version, url, anchor, startLine, endLine }: Hit): string {
  const place = anchor === null ? url : `${url}#${anchor}`
  const lines = `lines ${startLine}-${endLine}`
  return `${text.trim()}\n\nSource: ${place} (${library} ${version}, ${lines})\n`
}
