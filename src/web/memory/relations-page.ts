import { endRelations, listRelations, recordRelation } from '../../operation/memory/write.ts'
import { OgError } from '../../platform/error.ts'
import { relationDetails, type Relation } from '../../memory/relation/relation.ts'
import { action, hiddenFields } from '../frame.ts'
import { html, type Html } from '../html.ts'
import type { Route, PageContent, Visit } from '../visit.ts'
import { memoryPage } from './memory-frame.ts'
import { relationGraph } from './relation-graph.ts'
import { memoryAddress, type OpenWorkspace, runOperation, memoryRoute } from './site-memory.ts'
import { redirectToMemory, formValue } from './write-routes.ts'

export const relationsRoutes: readonly Route[] = [
  memoryRoute('GET', '/relations', relationsPage),
  memoryRoute('POST', '/relate', relate),
  memoryRoute('POST', '/relations/end', (...call) => remove(call, true)),
  memoryRoute('POST', '/relations/delete', (...call) => remove(call, false)),
]

const mostRows = 300

async function relationsPage(visit: Visit, remembered: OpenWorkspace): Promise<PageContent> {
  const entity = visit.params.get('entity') || null
  const past = visit.params.get('past') === 'yes'
  const { value: relations } = await runOperation(remembered, listRelations, { entity, past })
  const addressOf = (name: string) => memoryAddress(remembered, 'relations', { entity: name })
  const main = html`${filterForm(remembered, entity ?? '', past)}
${remembered.mayWrite && relateForm(visit, remembered)}
${relationGraph(relations, addressOf)}
${
  relations.length === 0 &&
  html`<p class="soft">No relations${entity !== null && html` of ${entity}`}.</p>`
}
${
  relations.length > 0 &&
  html`<div class="wide" tabindex="0"><table class="relations">
<thead><tr><th scope="col">Subject</th><th scope="col">Relation</th><th scope="col">Object</th>
<th scope="col">Known</th>${remembered.mayWrite && html`<th scope="col">Change</th>`}</tr></thead>
<tbody>${relations.slice(0, mostRows).map((one) => row(visit, remembered, one))}</tbody></table>
</div>`
}
${
  relations.length > mostRows &&
  html`<p class="soft">${relations.length - mostRows} more: search for
 a name.</p>`
}`
  return memoryPage(visit, remembered, { title: 'Relations', tab: 'relations', main })
}

function filterForm({ workspace }: OpenWorkspace, entity: string, past: boolean): Html {
  return html`<form class="finding" method="get" action="/memory/relations">
<input type="hidden" name="workspace" value="${workspace}">
<label class="unseen" for="find">Relations of a name</label>
<input id="find" name="entity" type="search" value="${entity}" placeholder="of a name">
<label class="check"><input type="checkbox" name="past" value="yes"${
    past && html` checked`
  }> past too</label>
<button>Show</button>
</form>`
}

function relateForm(visit: Visit, { workspace }: OpenWorkspace): Html {
  const field = (name: string, label: string, rest: Html | null = null) =>
    html`<label>${label} <input name="${name}" autocomplete="off"${rest}></label>`
  const isNeeded = html` required`
  return html`<details class="adding"><summary>Relate</summary>
<form method="post" action="/memory/relate">${hiddenFields(visit, { workspace })}
<div class="fields">${field('subject', 'Subject', isNeeded)}${field(
    'predicate',
    'Relation',
    isNeeded,
  )}${field('object', 'Object', isNeeded)}${field(
    'note',
    'Note',
  )}<label>Since <input name="since" type="date"></label></div>
<label class="check"><input type="checkbox" name="supersedes" value="yes"> replaces what was
 true of this subject and relation</label>
<button>Relate</button>
</form></details>`
}

function row(visit: Visit, remembered: OpenWorkspace, relation: Relation): Html {
  const { subject, predicate, object, isPast, note } = relation
  const details = [...relationDetails(relation), ...(note === '' ? [] : [note])].join(', ')
  const name = (text: string) =>
    html`<a href="${memoryAddress(remembered, 'relations', { entity: text })}">${text}</a>`
  const values = { workspace: remembered.workspace, subject, predicate, object }
  const button = (label: string, part: string) =>
    action(visit, { path: `/memory/relations/${part}`, name: label }, values)
  return html`<tr${isPast && html` class="past"`}><td>${name(subject)}</td><td>${
    predicate
  }</td><td>${name(object)}</td><td>${details}</td>${
    remembered.mayWrite &&
    html`<td><div class="actions">${!isPast && button('End', 'end')}${button(
      'Delete',
      'delete',
    )}</div></td>`
  }</tr>
`
}

async function relate(visit: Visit, remembered: OpenWorkspace): Promise<Response> {
  const [subject, predicate, object, note, since] = [
    'subject',
    'predicate',
    'object',
    'note',
    'since',
  ].map((name) => formValue(visit, name))
  const { value } = await runOperation(remembered, recordRelation, {
    subject: subject!,
    predicate: predicate!,
    object: object!,
    note,
    supersedes: formValue(visit, 'supersedes') === 'yes',
    ...(since !== '' && { since }),
  })
  return redirectToMemory(remembered, 'relations', { write_id: value.write_id })
}

async function remove(
  [visit, remembered]: [Visit, OpenWorkspace],
  keep: boolean,
): Promise<Response> {
  const [subject, predicate, object] = ['subject', 'predicate', 'object'].map((name) =>
    formValue(visit, name),
  )
  // A missing part would match any value and remove several relations.
  if (!subject || !predicate || !object)
    throw new OgError('Cannot change the relation: subject, predicate or object is missing')
  const choice = { subject, predicate, object, delete: !keep }
  const { write_id } = (await runOperation(remembered, endRelations, choice)).value
  return redirectToMemory(remembered, 'relations', { write_id })
}
