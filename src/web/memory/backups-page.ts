import { backUpMemory, listMemoryBackups, restoreMemory } from '../../operation/memory/backup.ts'
import { OgError } from '../../platform/error.ts'
import { action, redirect } from '../frame.ts'
import { html, type Html } from '../html.ts'
import type { Route, PageContent, Visit } from '../visit.ts'
import { memoryPage } from './memory-frame.ts'
import {
  memoryAddress,
  writableWorkspaceOf,
  type OpenWorkspace,
  runOperation,
  memoryRoute,
} from './site-memory.ts'
import { formValue } from './write-routes.ts'

export const backupsRoutes: readonly Route[] = [
  memoryRoute('GET', '/backups', backupsPage),
  memoryRoute('POST', '/backups/add', backUp),
  memoryRoute('GET', '/backups/restore', confirmRestore),
  memoryRoute('POST', '/backups/restore', restore),
]

async function backupsPage(visit: Visit, remembered: OpenWorkspace): Promise<PageContent> {
  const { workspace, mayWrite } = remembered
  const { value: backups } = await runOperation(remembered, listMemoryBackups, {})
  const line = ({ name }: { name: string }) =>
    html`<li>${name} ${
      mayWrite &&
      html`<a href="${memoryAddress(remembered, 'backups/restore', { name })}">Restore</a>`
    }</li>`
  const main = html`${restoreNotice(visit)}${
    mayWrite && action(visit, { path: '/memory/backups/add', name: 'Back up now' }, { workspace })
  }
${backups.length === 0 && html`<p class="soft">No backups yet.</p>`}
<ul class="pages">${backups.map(line)}</ul>`
  return memoryPage(visit, remembered, { title: 'Backups', tab: 'backups', main })
}

function restoreNotice({ params }: Visit): Html | null {
  const restored = params.get('restored')
  if (restored === 'partly') {
    return html`<div class="done" role="status"><p>Restored, except files that another program
 changed at the same moment. The newest backup has the previous files.</p></div>`
  }
  if (restored !== 'yes') return null
  return html`<div class="done" role="status"><p>Restored. The newest backup has the
 previous files.</p></div>`
}

async function backUp(_: Visit, remembered: OpenWorkspace): Promise<Response> {
  await runOperation(remembered, backUpMemory, {})
  return redirect(memoryAddress(remembered, 'backups'))
}

async function confirmRestore(visit: Visit): Promise<PageContent> {
  const remembered = await writableWorkspaceOf(visit)
  const { name } = await findBackup(remembered, visit.params.get('name') ?? '')
  const button = { path: '/memory/backups/restore', name: `Restore ${name}` }
  const main = html`<h2>Restore ${name}?</h2>
<p>Replaces all files of this memory with the files of the backup.
 The current files are backed up first.</p>
<div class="actions">${action(visit, button, { workspace: remembered.workspace, name })}
<a href="${memoryAddress(remembered, 'backups')}">Cancel</a></div>`
  return memoryPage(visit, remembered, { title: `Restore ${name}`, tab: 'backups', main })
}

async function restore(visit: Visit, remembered: OpenWorkspace): Promise<Response> {
  const { name } = await findBackup(remembered, formValue(visit, 'name'))
  const { notes } = await runOperation(remembered, restoreMemory, { spec: name })
  const outcome = { restored: notes.length === 0 ? 'yes' : 'partly' }
  return redirect(memoryAddress(remembered, 'backups', outcome))
}

async function findBackup(remembered: OpenWorkspace, name: string) {
  const { value: backups } = await runOperation(remembered, listMemoryBackups, {})
  const backup = backups.find((it) => it.name === name)
  if (backup !== undefined) return backup
  throw new OgError(`There is no backup "${name}"`, { code: 'absent' })
}
