import { listWrites } from '../../operation/memory/upkeep.ts'
import type { HistoryEntry } from '../../memory/write/history.ts'
import { html, type Html } from '../html.ts'
import type { Route, PageContent, Visit } from '../visit.ts'
import { memoryPage, describeWrite, undoButton } from './memory-frame.ts'
import { memoryAddress, openWorkspaceOf, type OpenWorkspace, runOperation } from './site-memory.ts'

export const historyRoutes: readonly Route[] = [
  { method: 'GET', path: '/memory/history', answer: historyPage },
]

const mostWrites = 100

/** Shows the writes, newest first, each with a button to undo it. */
async function historyPage(visit: Visit): Promise<PageContent> {
  const remembered = await openWorkspaceOf(visit)
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

export function historyTable(
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
