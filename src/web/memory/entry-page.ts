import { listWrites } from '../../operation/memory/upkeep.ts'
import { listEntries } from '../../operation/memory/read.ts'
import type { FileEntry } from '../../memory/memory-files.ts'
import { html, type Html } from '../html.ts'
import { action, hiddenFields } from '../frame.ts'
import type { Route, PageContent, Visit } from '../visit.ts'
import {
  findCorrectionsIn,
  entryAddress,
  findEntry,
  entryName,
  entryText,
  entryTitle,
} from './entry-card.ts'
import { memoryPage, describeWrite, undoButton } from './memory-frame.ts'
import {
  isFixedFile,
  memoryAddress,
  type OpenWorkspace,
  runOperation,
  memoryRoute,
} from './site-memory.ts'
import type { HistoryEntry } from '../../memory/write/history.ts'

export const entryRoutes: readonly Route[] = [memoryRoute('GET', '/entry', entryPage)]

async function entryPage(visit: Visit, remembered: OpenWorkspace): Promise<PageContent> {
  const [file, id] = [visit.params.get('file') ?? '', visit.params.get('id') ?? '']
  const { value: all } = await runOperation(remembered, listEntries, {})
  const entry = findEntry(all, { file, id })
  const { startLine: from, endLine: to } = entry
  const later = findCorrectionsIn(all).get(id) ?? []
  const earlier = all.filter((other) => entry.corrects.includes(other.id))
  const past = { file, text: entry.text, limit: 20 }
  const { value: writes } = await runOperation(remembered, listWrites, past)
  const main = html`<article class="entry">
<h2>${entryName(entry)}</h2>
<p class="place"><a href="${memoryAddress(remembered, '', { file })}">${file}</a>, lines ${
    from
  }-${to} ${entry.tags.map((tag) => html`<span class="badge">#${tag}</span> `)}
<span class="soft">entry ${id}</span></p>
<div class="prose">${entryText(entry.body)}</div>
</article>
${renderEntryList(remembered, { title: 'Corrected by', entries: later })}
${renderEntryList(remembered, { title: 'Corrects', entries: earlier })}
${remembered.mayWrite && changeForms(visit, remembered, entry)}
<h2>History</h2>
${historyTable(visit, remembered, writes)}`
  return memoryPage(visit, remembered, { title: entryTitle(entry), tab: '', main })
}

type EntryList = { title: string; entries: readonly FileEntry[] }

function renderEntryList(remembered: OpenWorkspace, { title, entries }: EntryList): Html | null {
  if (entries.length === 0) return null
  return html`<h2>${title}</h2>
<ul class="entries">${entries.map(
    (entry) => html`<li class="entry"><h3><a href="${entryAddress(
      remembered,
      entry,
    )}">${entryName(entry)}</a></h3>
<div class="prose">${
      entry.body === '' ? html`<p>This correction retires the entry.</p>` : entryText(entry.body)
    }</div></li>`,
  )}</ul>`
}

function changeForms(visit: Visit, remembered: OpenWorkspace, entry: FileEntry): Html {
  const { workspace } = remembered
  const { file, id, body, text } = entry
  const isFixed = isFixedFile(remembered, file)
  const values = { workspace, file, id }
  const rows = String(Math.min(20, text.split('\n').length + 2))
  const hint = isFixed
    ? 'This file is append-only: your text becomes a new entry that corrects this one.'
    : 'Your text replaces the entry and its heading.'
  return html`<details class="adding"><summary>Correct</summary>
<form method="post" action="/memory/correct">${hiddenFields(visit, values)}
<label for="content">Correction</label>
<textarea id="content" name="content" rows="${rows}" required>
${isFixed ? body : text}</textarea>
<p class="hint">${hint}</p>
<button>Correct</button>
</form></details>
<div class="actions">
${isFixed && action(visit, { path: '/memory/retire', name: 'Retire' }, values)}
${action(visit, { path: '/memory/delete', name: 'Delete' }, values)}
<span class="hint">${isFixed && 'A retired entry stays and is recalled no more. '}What is deleted
 goes out of the file; both can be undone.</span></div>`
}

export const historyRoutes: readonly Route[] = [memoryRoute('GET', '/history', historyPage)]

const mostWrites = 100

/** Shows the writes, newest first, each with a button to undo it. */
async function historyPage(visit: Visit, remembered: OpenWorkspace): Promise<PageContent> {
  const file = visit.params.get('file') || null
  const writes = (await runOperation(remembered, listWrites, { file, limit: mostWrites })).value
  const only = html`<p>Only ${file}. Show <a href="${memoryAddress(
    remembered,
    'history',
  )}">all writes</a></p>`
  const main = html`${file !== null && only}${historyTable(visit, remembered, writes)}
${
  writes.length === mostWrites &&
  html`<p class="soft">Earlier writes are in
 <code>og memory history</code>.</p>`
}`
  return memoryPage(visit, remembered, { title: 'History', tab: 'history', main })
}

function historyTable(
  visit: Visit,
  remembered: OpenWorkspace,
  writes: readonly HistoryEntry[],
): Html {
  if (writes.length === 0) return html`<p class="soft">og has not written anything yet.</p>`
  return html`<div class="wide" tabindex="0"><table class="writes">
<thead><tr><th scope="col">When</th><th scope="col">What</th><th scope="col">Text</th>${
    remembered.mayWrite && html`<th scope="col">Change</th>`
  }</tr></thead>
<tbody>${writes.map((write) => row(visit, remembered, write))}</tbody>
</table></div>`
}

function row(visit: Visit, remembered: OpenWorkspace, write: HistoryEntry): Html {
  const { id, at, op, file, summary, undone } = write
  const state = undone ? html`<span class="badge">undone</span>` : undoButton(visit, remembered, id)
  const href = memoryAddress(remembered, 'history', { file })
  return html`<tr><td><time datetime="${at}">${at.slice(0, 16).replace('T', ' ')}</time></td>
<td>${describeWrite(op)} <a href="${href}">${file}</a></td><td class="text">${summary}</td>${
    remembered.mayWrite && html`<td>${state}</td>`
  }</tr>
`
}
