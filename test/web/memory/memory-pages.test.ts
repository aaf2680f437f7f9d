/** Tests the HTML of the memory pages; test/e2e tests them in a browser. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { auditRoutes } from '../../../src/web/memory/audit-page.ts'
import { backupsRoutes } from '../../../src/web/memory/backups-page.ts'
import { entriesRoutes } from '../../../src/web/memory/entries-page.ts'
import { entryRoutes, historyRoutes } from '../../../src/web/memory/entry-page.ts'
import { inboxRoutes } from '../../../src/web/memory/inbox-page.ts'
import { memoryPage } from '../../../src/web/memory/memory-frame.ts'
import { memoryRoutes } from '../../../src/web/site.ts'
import { relationsRoutes } from '../../../src/web/memory/relations-page.ts'
import { memoryAddress } from '../../../src/web/memory/site-memory.ts'
import { writeRoutes } from '../../../src/web/memory/write-routes.ts'
import { openShownHome } from '../../support/page/memory.ts'
import { editInbox } from '../../../src/memory/capture/inbox.ts'
import { formTokenIn, openTestSite } from '../../support/page/site.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const memory = disposeAfterAll(await openShownHome({ workspaces: ['default', 'work'] }))
const site = disposeAfterAll(await openTestSite({ memory: memory.shown }))

async function send(path: string, form: Record<string, string>, to = site) {
  const token = formTokenIn((await to.ask('/memory')).text)
  return to.ask(path, { form: { form: token, ...form } })
}

/** Submits a form and returns the page that the browser is redirected to. */
async function after(path: string, form: Record<string, string>): Promise<string> {
  const { status, headers, text } = await send(path, form)
  expect([path, status, text]).toEqual([path, 303, ''])
  return (await site.ask(headers.get('location')!)).text
}

const file = (name = 'MEMORY.md') => readFileSync(memory.home.file(name), 'utf8')
const idOf = (text: string, words: string) =>
  new RegExp(`id=([0-9a-f]{12})">(?:(?!</article>)[^])*${words}`).exec(text)?.[1] ?? ''

test('routes all memory pages and builds their URLs', () => {
  const rooms = [
    entriesRoutes,
    entryRoutes,
    writeRoutes,
    inboxRoutes,
    historyRoutes,
    relationsRoutes,
    auditRoutes,
    backupsRoutes,
  ]
  expect(memoryRoutes).toEqual(rooms.flat())
  expect(memoryPage).toBeFunction()
  expect(memoryAddress({ workspace: 'a b' }, 'entry', { file: 'x', id: '' })).toBe(
    '/memory/entry?workspace=a+b&file=x',
  )
})

test('writes, corrects, retires and deletes an entry, and can undo each', async () => {
  const written = await after('/memory/write', {
    file: 'MEMORY.md',
    content: 'Deploys go out on Tuesdays.',
    tags: 'ops, #deploy',
  })
  expect(written).toContain('Added to MEMORY.md: Deploys go out on Tuesdays.')
  expect(written).toContain('<span class="badge">#ops</span> <span class="badge">#deploy</span>')
  const id = idOf(written, 'Tuesdays')
  const place = { file: 'MEMORY.md', id }
  const corrected = await after('/memory/correct', { ...place, content: 'They go on Fridays.' })
  expect(corrected).toContain('<span class="badge warns">corrected</span>')
  const entry = (await site.ask(memoryAddress({ workspace: 'default' }, 'entry', place))).text
  expect(entry).toContain('<h2>Corrected by</h2>')
  expect(entry).toContain('They go on Fridays.')
  expect(entry).toContain('Added to <a')
  const retired = await after('/memory/retire', place)
  expect(retired).toContain('<span class="badge warns">retired</span>')
  const deleted = await after('/memory/delete', place)
  expect(deleted).toContain('Deleted from MEMORY.md')
  expect(file()).not.toContain('Tuesdays')
  const [, write] = /action="\/memory\/undo">.*name="id" value="([^"]+)"/.exec(deleted)!
  await after('/memory/undo', { id: write! })
  expect(file()).toContain('Deploys go out on Tuesdays.')
  expect((await site.ask('/memory/history')).text).toContain('<span class="badge">undone</span>')
})

test('replaces text in a mutable tier unless the entry has changed in the meantime', async () => {
  memory.put('USER.md', '# User\n\n## Name\n\nAnn.\n\n## Place\n\nBern.\n')
  const page = (await site.ask('/memory?file=USER.md')).text
  const place = { file: 'USER.md', id: idOf(page, 'Bern') }
  await after('/memory/correct', { ...place, content: '## Place\r\n\r\nBasel.' })
  expect(file('USER.md')).toBe('# User\n\n## Name\n\nAnn.\n\n## Place\n\nBasel.\n')
  const late = await send('/memory/correct', { ...place, content: '## Place\n\nBerlin.' })
  expect([late.status, late.text.includes('any more')]).toEqual([404, true])
})

test('lists days and stores the correction of an earlier day under today', async () => {
  memory.put('daily/2026-01-05.md', '# Daily Log - 2026-01-05\n\n## 10:00\n\nThe mast fell.\n')
  const page = (await site.ask('/memory?file=daily/2026-01-05.md')).text
  expect(page).toContain('>2026-01-05</a></li>')
  const id = idOf(page, 'mast')
  const today = await after('/memory/correct', {
    file: 'daily/2026-01-05.md',
    id,
    content: 'The mast stood.',
  })
  expect(today).toContain('<span class="badge">corrects another</span>')
  expect(file('daily/2026-01-05.md')).not.toContain('stood')
})

test('finds entries and reports a search without hits', async () => {
  await after('/memory/write', {
    file: 'MEMORY.md',
    content: 'The boiler is in room 4.',
    tags: 'house',
  })
  const { text } = await site.ask('/memory/search?q=boiler')
  expect(text).toContain('The boiler is in room 4.</a></h2>')
  expect(text).not.toMatch(/<h2>\d{4}-/)
  expect((await site.ask('/memory/search?q=zeppelin')).text).toContain('Nothing found')
})

test('edits, merges, accepts and drops captured notes', async () => {
  expect((await site.ask('/memory/inbox')).text).toContain('The inbox is empty.')
  const texts = ['Use tabs.', 'Use four columns.', 'Ask Bob.', 'Buy milk.']
  const workspace = (await memory.shown.memories.session()).workspace
  await editInbox(workspace, () =>
    texts.map((text, i) => ({
      ...{ id: `${i}`.repeat(12), kind: 'rule', to: 'AGENTS.md', text, turn: 1 },
      ...{ client: 'codex', session: 's', at: '2026-11-24 10:00' },
    })),
  )
  const [first, second, third, fourth] = [0, 1, 2, 3].map((i) => `${i}`.repeat(12))
  const decide = async (action: string, ids: string[], text = '') => {
    const token = formTokenIn((await site.ask('/memory/inbox')).text)
    const form = new URLSearchParams({ form: token, action, text })
    for (const id of ids) form.append('id', id)
    return site.ask('/memory/inbox', { form })
  }
  expect((await site.ask('/memory/inbox')).text).toContain('4 captured notes to review')
  expect((await decide('accept', [])).status).toBe(400)
  await decide('edit', [third!], 'Ask Ann first.')
  await decide('merge', [first!, second!])
  await decide('drop', [fourth!])
  const { text } = await site.ask('/memory/inbox')
  expect(text).toContain('2 captured notes to review')
  const left = [...text.matchAll(/name="id" value="(\w+)" form/g)].map(([, id]) => id!)
  await decide('accept', left)
  const agents = file('AGENTS.md')
  for (const said of ['Use tabs.', 'Use four columns.', 'Ask Ann first.']) {
    expect(agents).toContain(said)
  }
  expect(agents).not.toContain('Buy milk.')
})

test('counts entries without the introduction of a new file, and titles an entry', async () => {
  await using fresh = await openShownHome({ workspaces: ['default'] })
  await using other = await openTestSite({ memory: fresh.shown })
  const session = await fresh.shown.memories.session()
  const { entry_id: id } = (await session.write({ content: '**Deploys** go out.' })) as any
  const { text } = await other.ask('/memory')
  expect(text).toContain('MEMORY.md: 1 entry')
  expect(text).not.toContain('worth knowing for months')
  const page = (await other.ask(`/memory/entry?file=MEMORY.md&id=${id}`)).text
  expect(page).toContain('<title>Deploys go out. · default')
})

test('adds, ends and deletes relations', async () => {
  const triple = { subject: 'Ann', predicate: 'works at', object: 'Acme' }
  const told = await after('/memory/relate', {
    ...triple,
    note: 'said in May',
    since: '2025-01-01',
  })
  expect(told).toContain('Recorded in RELATIONS.md')
  expect(told).toContain('since 2025-01-01, said in May')
  expect(told).toContain('<svg viewBox="0 0 900 520" role="group"')
  expect(await after('/memory/relations/end', triple)).toContain('No relations')
  const past = (await site.ask('/memory/relations?past=yes&entity=ann')).text
  expect(past).toContain('<tr class="past">')
  expect((await send('/memory/relations/delete', { subject: 'Ann' })).status).toBe(400)
  await after('/memory/relations/delete', triple)
  expect(file('RELATIONS.md')).not.toContain('Acme')
})

test('lists only some of very many relations, and links a search hit to the list', async () => {
  const lines = Array.from({ length: 400 }, (_, i) => `- [anchor${i}] --holds--> [ship${i}]\n`)
  memory.put('RELATIONS.md', `# Relations\n\n${lines.join('')}`, 'work')
  const page = (await site.ask('/memory/relations?workspace=work')).text
  expect(page.match(/<tr>/g)).toHaveLength(301)
  expect(page).toContain('100 more: search for')
  const hits = (await site.ask('/memory/search?workspace=work&q=anchor7')).text
  expect(hits).toContain('<h2><a href="/memory/relations?workspace=work">')
})

test('fixes an audit finding only if it still exists', async () => {
  memory.put('AGENTS.md', '# Agents\n\n## Key\n\npassword: hunter2hunter2\n')
  const page = (await site.ask('/memory/audit')).text
  expect(page).toContain('<ins>password: [removed]</ins>')
  const [, fix] = /name="fix" value="([^"]+)"/.exec(page)!
  expect(await after('/memory/audit/mend', { fix: fix! })).toContain('Fixed in AGENTS.md')
  expect(file('AGENTS.md')).toContain('password: [removed]')
  expect((await send('/memory/audit/mend', { fix: fix! })).status).toBe(404)
})

test('makes a backup and restores it after a confirmation', async () => {
  const made = await after('/memory/backups/add', {})
  const [, name] = /backups\/restore\?workspace=default&amp;name=([^"]+)"/.exec(made)!
  memory.put('MEMORY.md', '# Memory\n\n## Later\n\nAll is new.\n')
  const asked = await site.ask(`/memory/backups/restore?name=${name}`)
  expect(asked.text).toContain(`Restore ${name}?`)
  expect(await after('/memory/backups/restore', { name: name! })).toContain('Restored.')
  expect(file()).toContain('The boiler is in room 4.')
  expect((await send('/memory/backups/restore', { name: '../x' })).status).toBe(404)
})

test('keeps workspaces apart', async () => {
  memory.put('MEMORY.md', '# Memory\n\n## 2026-01-01 10:00\n\nOnly at work.\n', 'work')
  expect((await site.ask('/memory?workspace=work')).text).toContain('Only at work.')
  expect((await site.ask('/memory')).text).not.toContain('Only at work.')
  for (const name of ['none', '../default', '..']) {
    expect((await site.ask(`/memory?${new URLSearchParams({ workspace: name })}`)).status).toBe(404)
  }
})

test('text that agents wrote runs no scripts on any page', async () => {
  const bad = '<img src=x onerror=alert(1)> [a](javascript:alert(1)) "><script>alert(1)</script>'
  memory.put('MEMORY.md', `# Memory\n\n## ${bad}\n\n#${'<b>x'} \n\n${bad}\n`)
  const text = bad.replaceAll('[', '(').replaceAll(']', ')')
  await after('/memory/relate', { subject: text, predicate: 'is', object: `b ${text}`, note: bad })
  await after('/memory/write', { file: 'AGENTS.md', content: bad, tags: '<i>' })
  memory.put('USER.md', `# User\n\n${bad}\n\npassword: hunter2hunter2<script>\n`)
  const paths = [
    '/memory',
    '/memory?file=AGENTS.md',
    '/memory?file=USER.md',
    '/memory/history',
    '/memory/relations',
    '/memory/audit',
    '/memory/search?q=alert',
    `/memory?file=${encodeURIComponent(bad)}`,
  ]
  for (const path of paths) {
    const { text: page } = await site.ask(path)
    expect([
      path,
      /<(?:img|script(?! type="module" src="\/assets))|<a href="javascript/i.exec(page)?.[0],
    ]).toEqual([path, undefined])
  }
})

test('hides memory if it is turned off, and rejects forms of other sites', async () => {
  await using bare = await openTestSite()
  expect((await bare.ask('/')).text).not.toContain('/memory')
  for (const { method, path } of memoryRoutes) {
    const form =
      method === 'POST' ? { form: formTokenIn((await site.ask('/memory')).text) } : undefined
    const { status } = await bare.ask(path, { form })
    expect([path, [403, 404].includes(status)]).toEqual([path, true])
    if (form === undefined) continue
    const foreign = { form, headers: { 'sec-fetch-site': 'cross-site' } }
    expect([path, (await site.ask(path, foreign)).status]).toEqual([path, 403])
  }
})
