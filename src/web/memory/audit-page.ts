import { auditMemory, applyAudit } from '../../operation/memory/upkeep.ts'
import type { AuditEdit, Finding } from '../../memory/audit/audit.ts'
import { OgError } from '../../platform/error.ts'
import { sha256 } from '../../platform/hash.ts'
import { formatCount } from '../../platform/text/count.ts'
import { action } from '../frame.ts'
import { html, type Html } from '../html.ts'
import type { Route, PageContent, Visit } from '../visit.ts'
import { memoryPage } from './memory-frame.ts'
import { memoryAddress, type OpenWorkspace, runOperation, memoryRoute } from './site-memory.ts'
import { redirectToMemory, formValue } from './write-routes.ts'

export const auditRoutes: readonly Route[] = [
  memoryRoute('GET', '/audit', auditPage),
  memoryRoute('POST', '/audit/mend', applyFix),
]

const mostFindings = 100

async function auditPage(visit: Visit, remembered: OpenWorkspace): Promise<PageContent> {
  const { value: findings } = await runOperation(remembered, auditMemory, {})
  const first = findings.slice(0, mostFindings)
  const count = formatCount(findings.length, 'finding')
  const main = html`<p class="count">${findings.length === 0 ? 'No problems found' : count}${
    findings.length > first.length && `; the first ${first.length} are shown`
  }</p>
<ul class="entries">${first.map((finding) => card(visit, remembered, finding))}</ul>`
  return memoryPage(visit, remembered, { title: 'Audit', tab: 'audit', main })
}

function card(visit: Visit, remembered: OpenWorkspace, finding: Finding): Html {
  const { kind, file, start_line: from, end_line: to, message, fix, other } = finding
  const lines = `${file}:${from}-${to}`
  return html`<li class="entry"><h2>${kind.replaceAll('_', ' ')} <span class="badge">${
    lines
  }</span></h2>
<p>${message}</p>
${fix !== undefined && html`<pre class="patch" tabindex="0">${diff(fix)}</pre>`}
<div class="actions">${remembered.mayWrite && remedy(visit, remembered, finding)}
${renderLocation(remembered, finding, 'Show entry')}
${other !== undefined && renderLocation(remembered, other, 'and at the other')}</div></li>
`
}

function diff({ expect, content }: AuditEdit): Html[] {
  const lines = (text: string) => text.replace(/\r?\n$/, '').split('\n')
  const [was, now] = [lines(expect), content === '' ? [] : lines(content)]
  return [
    ...was.map((text) => html`<del>${text}</del>\n`),
    ...now.map((text) => html`<ins>${text}</ins>\n`),
  ]
}

function renderLocation(
  remembered: OpenWorkspace,
  { file, entry_id: id }: Pick<Finding, 'file' | 'entry_id'>,
  name: string,
): Html {
  if (file === 'RELATIONS.md') {
    return html`<a href="${memoryAddress(remembered, 'relations')}">${name}</a>`
  }
  const href =
    id === null
      ? memoryAddress(remembered, '', { file })
      : memoryAddress(remembered, 'entry', { file, id })
  return html`<a href="${href}">${name}</a>`
}

function remedy(visit: Visit, { workspace }: OpenWorkspace, finding: Finding): Html | null {
  const { fix, file, entry_id: id } = finding
  if (fix !== undefined) {
    return action(
      visit,
      { path: '/memory/audit/mend', name: 'Fix' },
      { workspace, fix: nameOf(fix) },
    )
  }
  if (id === null) return null
  return action(visit, { path: '/memory/delete', name: 'Delete' }, { workspace, file, id })
}

/** Derives the id of a fix from its content, so that the id changes with the file. */
function nameOf(fix: AuditEdit): string {
  return sha256(JSON.stringify(fix)).slice(0, 16)
}

async function applyFix(visit: Visit, remembered: OpenWorkspace): Promise<Response> {
  const name = formValue(visit, 'fix')
  const { value: findings } = await runOperation(remembered, auditMemory, {})
  const fixes = findings.flatMap(({ fix }) => fix ?? [])
  const fix = fixes.find((it) => nameOf(it) === name)
  if (fix === undefined) {
    const message = 'Nothing was changed: the finding no longer exists'
    throw new OgError(message, { code: 'absent' })
  }
  const { value } = await applyAudit.run({ memory: remembered.session, edits: [fix] }, {})
  const [write_id] = value.write_ids
  return redirectToMemory(remembered, 'audit', { write_id })
}
