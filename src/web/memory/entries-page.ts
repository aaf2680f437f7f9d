import { weakSentence } from '../../library/search/doubt.ts'
import { listEntries, listMemory, recallMemory } from '../../operation/memory/read.ts'
import { noteSentence } from '../../operation/note.ts'
import { seeds } from '../../memory/workspace.ts'
import type { FileEntry } from '../../memory/memory-files.ts'
import { OgError } from '../../platform/error.ts'
import { formatCount } from '../../platform/text/count.ts'
import { errorResponse, hiddenFields } from '../frame.ts'
import { html, type Html } from '../html.ts'
import type { Route, PageContent, Visit } from '../visit.ts'
import { findCorrectionsIn, entryAddress, entryCard, entryText, textTitle } from './entry-card.ts'
import { memoryPage } from './memory-frame.ts'
import { memoryAddress, type OpenWorkspace, runOperation, memoryRoute } from './site-memory.ts'

export const entriesRoutes: readonly Route[] = [
  memoryRoute('GET', '', entriesPage),
  memoryRoute('GET', '/search', searchPage),
]

const perPage = 50

/** Shows the entries of a tier or a day, newest first. */
async function entriesPage(visit: Visit, remembered: OpenWorkspace): Promise<PageContent> {
  const { value: listed } = await runOperation(remembered, listMemory, {})
  const files = 'files' in listed ? listed.files.map((it) => it.file) : []
  const file = visit.params.get('file') ?? 'MEMORY.md'
  const { value: all } = await runOperation(remembered, listEntries, {})
  const own = all.filter((entry) => entry.file === file && !isIntroduction(entry)).reverse()
  const from = Math.max(0, Number(visit.params.get('from')) || 0)
  const page = own.slice(from, from + perPage)
  const corrections = findCorrectionsIn(all)
  const rest = own.length - from - page.length
  const older = memoryAddress(remembered, '', { file, from: from + perPage })
  const main = html`${searchForm(remembered, '')}
<div class="tiers">
<div>
${remembered.mayWrite && writeForm(visit, remembered, file)}
${!files.includes(file) && errorResponse(`There is no file "${file}" in this memory`)}
<p class="count">${file}: ${formatCount(own.length, 'entry', 'entries')}${
    from > 0 && `, newest first, from number ${from + 1} on`
  }</p>
<ol class="entries">${page.map((entry) => entryCard(remembered, entry, corrections))}</ol>
${rest > 0 && html`<p><a href="${older}">${rest} older</a></p>`}
</div>
${fileList(remembered, files, file)}
</div>`
  return memoryPage(visit, remembered, { title: file, tab: '', main })
}

function isIntroduction({ file, heading, body }: FileEntry): boolean {
  return seeds[file]?.trimEnd() === `# ${heading}\n\n${body}`
}

/** Renders links to the tiers, then to the days, newest first. */
function fileList(remembered: OpenWorkspace, files: readonly string[], chosen: string): Html {
  const isDay = (name: string) => name.startsWith('daily/')
  const days = files.filter(isDay).reverse()
  const tiers = files.filter((name) => !isDay(name) && name !== 'RELATIONS.md')
  const link = (file: string) =>
    html`<li><a href="${memoryAddress(remembered, '', { file })}"${
      file === chosen && html` aria-current="true"`
    }>${file.replace(/^daily\/|\.md$/g, '')}</a></li>`
  const [latest, earlier] = [days.slice(0, mostDays), days.slice(mostDays)]
  return html`<nav class="files" aria-label="Files">
<ul>${tiers.map(link)}</ul>
${days.length > 0 && html`<p class="soft">Days</p><ul>${latest.map(link)}</ul>`}
${
  earlier.length > 0 &&
  html`<details${earlier.includes(chosen) && html` open`}>
<summary>${earlier.length} earlier</summary><ul>${earlier.map(link)}</ul></details>`
}
</nav>`
}

const mostDays = 14

function writeForm(visit: Visit, { workspace, session }: OpenWorkspace, file: string): Html {
  const custom = session.workspace.customFiles.map(({ name }) => name)
  const targets = ['MEMORY.md', 'USER.md', 'AGENTS.md', 'daily', ...custom]
  const chosen = file.startsWith('daily/') ? 'daily' : file
  const options = targets.map(
    (name) =>
      html`<option value="${name}"${
        name === chosen && html` selected`
      }>${name === 'daily' ? 'today' : name}</option>`,
  )
  return html`<details class="adding"><summary>Write</summary>
<form method="post" action="/memory/write">${hiddenFields(visit, { workspace })}
<label for="content">New entry</label>
<textarea id="content" name="content" rows="4" required></textarea>
<div class="fields"><label>Into <select name="file">${options}</select></label>
<label>Tags <input name="tags" placeholder="ops deploy" autocomplete="off"></label></div>
<button>Write</button>
</form></details>`
}

function searchForm({ workspace }: OpenWorkspace, query: string): Html {
  return html`<form class="finding" role="search" method="get" action="/memory/search">
<input type="hidden" name="workspace" value="${workspace}">
<label class="unseen" for="find">Search memory</label>
<input id="find" name="q" type="search" value="${query}" maxlength="20000"
 placeholder="Search memory">
<button>Search</button>
</form>`
}

/** Shows a memory search with the same results as an agent's search. */
async function searchPage(visit: Visit, remembered: OpenWorkspace): Promise<PageContent> {
  const query = (visit.params.get('q') ?? '').trim()
  const main = html`${searchForm(remembered, query)}
${query !== '' && (await matchesHtml(remembered, query))}`
  return memoryPage(visit, remembered, { title: query || 'Search memory', tab: '', main })
}

/** Maximum number of hits if no hit is clearly relevant. */
const mostWeak = 5

async function matchesHtml(remembered: OpenWorkspace, query: string): Promise<Html> {
  try {
    const { value, notes } = await runOperation(remembered, recallMemory, { query, top_k: 20 })
    const { relations } = value
    const sure = value.results.filter(({ confidence }) => confidence === 'high')
    const best = sure.length > 0 ? sure : value.results.slice(0, mostWeak)
    const cards = best.map(({ entry_id: id, path: file, text, heading, corrected_by: by }) => {
      const href =
        file === 'RELATIONS.md'
          ? memoryAddress(remembered, 'relations')
          : entryAddress(remembered, { file, id })
      // A hit starts with its heading, then its tags.
      const body = text.replace(/^#+ [^\n]*\n+/, '').replace(/^(?:#[\w-]+[ \t]*)+\n+/, '')
      return html`<li class="entry"><article>
<h2><a href="${href}">${textTitle({ heading, body }) || file}</a></h2>
<p class="place">${file} ${heading}
 ${by !== null && html`<span class="badge warns">corrected</span>`}</p>
<div class="prose">${entryText(body)}</div>
</article></li>
`
    })
    const total = `${formatCount(cards.length, 'entry', 'entries')} found`
    const count = sure.length > 0 ? total : weakSentence
    return html`${notes.map((note) => html`<p class="weak">${noteSentence(note)}</p>`)}
<p class="count">${cards.length === 0 ? 'Nothing found' : count}</p>
${
  relations.length > 0 &&
  html`<ul class="known">${relations.map((line) => html`<li>${line}</li>`)}</ul>`
}
<ol class="entries">${cards}</ol>`
  } catch (error) {
    if (error instanceof OgError) return errorResponse(error.message, error.hint)
    throw error
  }
}
