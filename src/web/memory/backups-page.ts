import { listBackups } from '../../memory/backup/backup-list.ts'
import { OgError } from '../../platform/error.ts'
import { action, redirect } from '../frame.ts'
import { html, type Html } from '../html.ts'
import type { Route, Shape, Visit } from '../visit.ts'
import { memoryPage } from './memory-frame.ts'
import { memoryAddress, rememberedIn, rememberedToWrite, type Remembered } from './site-memory.ts'
import { typed } from './write-routes.ts'

export const backupsRoutes: readonly Route[] = [
  { method: 'GET', path: '/memory/backups', answer: backupsPage },
  { method: 'POST', path: '/memory/backups/add', answer: backUp },
  { method: 'GET', path: '/memory/backups/restore', answer: askRestoring },
  { method: 'POST', path: '/memory/backups/restore', answer: restore },
]

/** The page of backups, the newest first. */
async function backupsPage(visit: Visit): Promise<Shape> {
  const remembered = await rememberedIn(visit)
  const { workspace, mayWrite, session } = remembered
  const backups = await listBackups(session.workspace)
  const line = ({ name }: { name: string }) =>
    html`<li>${name} ${
      mayWrite &&
      html`<a href="${memoryAddress(remembered, 'backups/restore', { name })}">Restore</a>`
    }</li>`
  const main = html`${restored(visit)}${
    mayWrite && action(visit, { path: '/memory/backups/add', name: 'Back up now' }, { workspace })
  }
${backups.length === 0 && html`<p class="soft">There is no backup yet.</p>`}
<ul class="pages">${backups.map(line)}</ul>`
  return memoryPage(visit, remembered, { title: 'Backups', tab: 'backups', main })
}

function restored({ params }: Visit): Html | null {
  const restored = params.get('restored')
  if (restored === 'partly') {
    return html`<div class="done" role="status"><p>Restored, except files that another program
 changed at the same moment. What was there before is the newest backup.</p></div>`
  }
  if (restored !== 'yes') return null
  return html`<div class="done" role="status"><p>Restored. What was there before is the newest
 backup.</p></div>`
}

async function backUp(visit: Visit): Promise<Response> {
  const remembered = await rememberedToWrite(visit)
  await remembered.session.backup()
  return redirect(memoryAddress(remembered, 'backups'))
}

async function askRestoring(visit: Visit): Promise<Shape> {
  const remembered = await rememberedToWrite(visit)
  const { name } = await named(remembered, visit.params.get('name') ?? '')
  const button = { path: '/memory/backups/restore', name: `Restore ${name}` }
  const main = html`<h2>Restore ${name}?</h2>
<p>All files of this memory become what they were then. The present is backed up first.</p>
<div class="actions">${action(visit, button, { workspace: remembered.workspace, name })}
<a href="${memoryAddress(remembered, 'backups')}">Keep the present</a></div>`
  return memoryPage(visit, remembered, { title: `Restore ${name}`, tab: 'backups', main })
}

async function restore(visit: Visit): Promise<Response> {
  const remembered = await rememberedToWrite(visit)
  const { warning } = await remembered.session.restore(
    await named(remembered, typed(visit, 'name')),
  )
  const outcome = { restored: warning === undefined ? 'yes' : 'partly' }
  return redirect(memoryAddress(remembered, 'backups', outcome))
}

async function named({ session }: Remembered, name: string) {
  const backup = (await listBackups(session.workspace)).find((it) => it.name === name)
  if (backup !== undefined) return backup
  throw new OgError(`There is no backup "${name}"`, { code: 'absent' })
}
