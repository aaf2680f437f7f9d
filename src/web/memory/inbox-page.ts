import type { InboxNote } from '../../memory/capture/inbox.ts'
import { decideInbox, listInbox } from '../../operation/memory/upkeep.ts'
import { formatCount } from '../../platform/text/count.ts'
import { redirect, hiddenFields } from '../frame.ts'
import { html, type Html } from '../html.ts'
import type { PageContent, Route, Visit } from '../visit.ts'
import { entryText } from './entry-card.ts'
import { memoryPage } from './memory-frame.ts'
import { memoryAddress, runOperation, type OpenWorkspace, memoryRoute } from './site-memory.ts'
import { formValue } from './write-routes.ts'

export const inboxRoutes: readonly Route[] = [
  memoryRoute('GET', '/inbox', inboxPage),
  memoryRoute('POST', '/inbox', decide),
]

/** Shows the captured notes, oldest first, with forms for decisions about them. */
async function inboxPage(visit: Visit, remembered: OpenWorkspace): Promise<PageContent> {
  const { value: notes } = await runOperation(remembered, listInbox, {})
  const main =
    notes.length === 0
      ? html`<p class="soft">The inbox is empty.</p>`
      : html`<p class="count">${formatCount(notes.length, 'captured note')} to review</p>
<ol class="entries">${notes.map((note) => noteCard(visit, remembered, note))}</ol>
${remembered.mayWrite && choiceForm(visit, remembered, notes.length)}`
  return memoryPage(visit, remembered, { title: 'Inbox', tab: 'inbox', main })
}

function noteCard(visit: Visit, remembered: OpenWorkspace, note: InboxNote): Html {
  const { id, kind, to, text, client, turn, at } = note
  const { workspace, mayWrite } = remembered
  const choice = html`<input type="checkbox" name="id" value="${id}" form="choice"> `
  return html`<li class="entry"><article>
<h2><label>${mayWrite && choice}${kind} for ${to}</label></h2>
<p class="place">${client}, turn ${turn}, ${at}</p>
<div class="prose">${entryText(text)}</div>
${
  mayWrite &&
  html`<details class="adding"><summary>Edit</summary>
<form method="post" action="/memory/inbox">${hiddenFields(visit, { workspace, id })}
<textarea name="text" rows="3" aria-label="Text" required>
${text}</textarea>
<button name="action" value="edit">Save</button>
</form></details>`
}
</article></li>
`
}

function choiceForm(visit: Visit, { workspace }: OpenWorkspace, nNotes: number): Html {
  return html`<form id="choice" class="actions" method="post" action="/memory/inbox">${hiddenFields(
    visit,
    { workspace },
  )}<button name="action" value="accept">Accept</button>
<button class="quiet" name="action" value="drop">Drop</button>
${nNotes > 1 && html`<button class="quiet" name="action" value="merge">Merge</button>`}
<span class="hint">Select notes first. Accepted notes go into their file.</span></form>`
}

async function decide(visit: Visit, remembered: OpenWorkspace): Promise<Response> {
  const action = formValue(visit, 'action')
  const text = formValue(visit, 'text') || null
  const input = { action, ids: visit.form.getAll('id'), all: false, text }
  await runOperation(remembered, decideInbox, input)
  return redirect(memoryAddress(remembered, 'inbox'))
}
