import { expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { editInbox } from '../../../src/memory/capture/inbox.ts'
import { programTools } from '../../../src/mcp/memory/memory-tool.ts'
import { allMemoryTools } from '../../../src/mcp/memory/memory-tools.ts'
import { openMemoryHome } from '../../support/memory/mcp-memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const home = openEach(openMemoryHome)
const context = openEach(() => home().context())

/** Calls `memory_NAME` and checks its arguments and answer against the schemas. */
async function ask(name: string, typed: object = {}): Promise<any> {
  const tool = programTools.find((one) => one.name === `memory_${name}`)!
  const { structured } = await tool.run(context(), tool.input.parse(typed))
  expect(tool.output.parse(structured)).toEqual(structured)
  return structured
}

const write = async (content: string) =>
  (await context().memory.session()).write({ file: 'MEMORY.md', content }) as Promise<{
    write_id: string
  }>

test('lists none of these tools to agents', () => {
  const offered = new Set(allMemoryTools.map(({ name }) => name))
  expect(programTools.map(({ name }) => name)).toEqual([
    'memory_sync',
    'memory_relations',
    'memory_history',
    'memory_undo',
    'memory_backup',
    'memory_inbox',
    'memory_decide',
  ])
  expect(programTools.some(({ name }) => offered.has(name))).toBe(false)
})

test('memory_sync indexes files edited by hand, and all files with force', async () => {
  await write('The heron eats frogs.')
  writeFileSync(home().file('USER.md'), 'Feeds storks.\n')
  expect(await ask('sync')).toMatchObject({ status: 'ok', added: 0, deleted: 0 })
  const found = await (await context().memory.session()).recall({ query: 'storks' })
  expect(found).toMatchObject({ count: 1 })
  const { added, updated, skipped } = await ask('sync', { force: true })
  expect([added + updated, skipped]).toEqual([4, 0])
})

test('memory_decide removes notes from memory_inbox', async () => {
  const { workspace } = await context().memory.session()
  const note = { kind: 'rule', to: 'AGENTS.md', turn: 1, client: 'x', session: 's' } as const
  const at = '2026-01-01 10:00'
  const ids = ['111111111111', '222222222222']
  await editInbox(workspace, () => ids.map((id) => ({ ...note, id, at, text: `Note ${id}.` })))
  expect((await ask('inbox')).notes).toHaveLength(2)
  expect(await ask('decide', { action: 'merge', ids })).toMatchObject({ left: 1 })
  expect(await ask('decide', { action: 'accept', all: true })).toMatchObject({
    accepted: [{ id: ids[0], file: 'AGENTS.md' }],
    left: 0,
  })
  expect(readFileSync(home().file('AGENTS.md'), 'utf8')).toContain(
    `Note ${ids[0]}.\nNote ${ids[1]}.`,
  )
})

test('memory_relations filters by name and day, and returns past ones on request', async () => {
  const session = await context().memory.session()
  const ann = { subject: 'Ann', predicate: 'works at' }
  await session.relate({ ...ann, object: 'Acme', since: '2025-01-01' })
  await session.relate({ ...ann, object: 'Beta', since: '2026-01-01', supersedes: true })
  const objects = async (typed: object) =>
    (await ask('relations', typed)).relations.map(({ object }: any) => object)
  expect(await objects({ entity: 'ann' })).toEqual(['Beta'])
  expect(await objects({ subject: 'Ann', past: true })).toEqual(['Acme', 'Beta'])
  expect(await objects({ as_of: '2025-06-01' })).toEqual(['Acme'])
  expect(await objects({ predicate: 'knows' })).toEqual([])
  const {
    relations: [one],
  } = await ask('relations', { object: 'Beta' })
  expect(one).toMatchObject({ ...ann, is_past: false, line: expect.any(Number) })
  expect(one).not.toHaveProperty('firstLine')
  expect(one).not.toHaveProperty('isPast')
})

test('memory_history names the ids that memory_undo accepts', async () => {
  const { write_id: first } = await write('The heron eats frogs.')
  await write('The stork eats mice.')
  const { entries } = await ask('history')
  expect(entries).toHaveLength(2)
  expect(entries[1]).toMatchObject({ id: first, op: 'append', file: 'MEMORY.md' })
  expect((await ask('history', { limit: 1 })).entries).toHaveLength(1)
  expect((await ask('history', { file: 'USER.md' })).entries).toEqual([])
  expect(await ask('undo', { id: first })).toMatchObject({ undone: first, op: 'append' })
  expect(readFileSync(home().file('MEMORY.md'), 'utf8')).toContain('stork')
  await ask('undo')
  expect(readFileSync(home().file('MEMORY.md'), 'utf8')).not.toMatch(/heron|stork/)
})

test('memory_backup archives all Markdown files', async () => {
  const { name, files, ...rest } = await ask('backup')
  expect([files, rest]).toEqual([5, { status: 'ok' }])
  expect(existsSync(home().file(`backups/${name}.zip`))).toBe(true)
})
