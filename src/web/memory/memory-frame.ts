import { listWrites } from '../../operation/memory/upkeep.ts'
import { action } from '../frame.ts'
import { html, type Html } from '../html.ts'
import type { PageContent, Visit } from '../visit.ts'
import { memoryAddress, writeHint, type OpenWorkspace, runOperation } from './site-memory.ts'

const tabs = [
  ['', 'Entries'],
  ['relations', 'Relations'],
  ['inbox', 'Inbox'],
  ['history', 'History'],
  ['audit', 'Audit'],
  ['backups', 'Backups'],
] as const

/**
 * Renders the frame around all views of memory: links to workspaces and sections, and a notice
 * about the last write.
 */
export async function memoryPage(
  visit: Visit,
  remembered: OpenWorkspace,
  { title, tab, main }: { title: string; tab: (typeof tabs)[number][0]; main: Html },
): Promise<PageContent> {
  const { workspace, names } = remembered
  const links = tabs.map(
    ([part, name]) =>
      html`<a href="${memoryAddress(remembered, part)}"${
        part === tab && html` aria-current="page"`
      }>${name}</a>`,
  )
  const others = names.map(
    (name) =>
      html`<li><a class="badge" href="${memoryAddress(
        { workspace: name },
        tab,
      )}"${name === workspace && html` aria-current="true"`}>${name}</a></li>`,
  )
  const body = html`<div class="remembering">
<h1>Memory</h1>
${names.length > 1 && html`<ul class="workspaces" aria-label="Workspaces">${others}</ul>`}
<nav class="parts" aria-label="Parts of memory">${links}</nav>
${visit.memory?.isReader && html`<p class="hint">Read-only: ${writeHint}.</p>`}
${await justWritten(visit, remembered)}
${main}
</div>`
  return { title: `${title} · ${workspace}`, main: body, place: 'memory' }
}

async function justWritten(visit: Visit, remembered: OpenWorkspace): Promise<Html | null> {
  const id = visit.params.get('wrote')
  if (id === null) return null
  const { value: latest } = await runOperation(remembered, listWrites, { limit: 50 })
  const write = latest.find((it) => it.id === id)
  if (write === undefined) return null
  return html`<div class="done" role="status"><p>${describeWrite(write.op)} ${write.file}: ${
    write.summary
  }</p>${!write.undone && undoButton(visit, remembered, id)}</div>`
}

const sentences: Readonly<Record<string, string>> = {
  append: 'Added to',
  delete_entry: 'Deleted from',
  undo: 'Undone in',
  relate: 'Recorded in',
  end_relation: 'Ended in',
  delete_relation: 'Deleted from',
  audit: 'Fixed in',
  compact: 'Compacted',
}

/** Describes a kind of write. The caller appends the file name. */
export function describeWrite(op: string): string {
  return sentences[op] ?? 'Changed in'
}

export function undoButton(visit: Visit, { workspace }: OpenWorkspace, id: string): Html {
  return action(visit, { path: '/memory/undo', name: 'Undo' }, { workspace, id })
}
