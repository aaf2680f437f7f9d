/**
 * Tests both links to a memory with the same suite: one in this process, one in a child process.
 */
import { beforeEach, expect, test } from 'bun:test'
import { appendFileSync, chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { MemorySession as InProcess } from '../../src/program/bun.ts'
import type { MemoryOptions, MemorySession } from '../../src/program/memory-api.ts'
import { MemorySession as ByChild } from '../../src/program/node.ts'
import { openEach } from '../support/run/dispose.ts'

const main = join(import.meta.dir, '..', '..', 'src', 'main.ts')

const temp = openEach(() => createTempFolder('og program'))
const executable = () => join(temp().path, 'og')
beforeEach(() => {
  writeFileSync(executable(), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`)
  chmodSync(executable(), 0o755)
})

function options(settings: Record<string, string> = {}): MemoryOptions {
  const env = {
    HOME: temp().path,
    PATH: process.env.PATH,
    GROUNDMEMORY_EMBEDDING__PROVIDER: 'none',
    ...settings,
  }
  return { root: join(temp().path, 'notes'), env, executable: executable() }
}

async function check(
  asked: (session: MemorySession) => Promise<void>,
  settings?: Record<string, string>,
): Promise<void> {
  for (const [name, opener] of Object.entries({ inProcess: InProcess, byChild: ByChild })) {
    const session = await opener.create(name, options(settings))
    await asked(session)
    await session.close()
  }
}

test('calls every operation of a memory', () =>
  check(async (session) => {
    const entry = await session.write({
      file: 'MEMORY.md',
      content: 'The walrus naps.',
      tags: ['sea'],
    })
    expect(entry).toMatchObject({ file: 'MEMORY.md', mode: 'append', deduplicated: false })
    const {
      results: [hit],
    } = await session.read({ query: 'walrus', tags: ['sea'] })
    expect(hit!.entry_id).toBe(entry.entry_id!)
    const { start_line, end_line } = hit!
    const slice = await session.read({ file: hit!.path, start_line, end_line })
    expect(slice.content).toBe(`${hit!.text}\n`)
    expect(await session.bootstrap({ task: 'walrus' })).toContain('The walrus naps.')
    await session.relate({ subject: 'Ann', predicate: 'works at', object: 'Acme' })
    await session.relate({
      subject: 'Ann',
      predicate: 'works at',
      object: 'Beta',
      supersedes: true,
    })
    const relations = await session.relations({ entity: 'ann', past: true })
    expect(relations.map(({ object, is_past }) => [object, is_past]).sort()).toEqual([
      ['Acme', true],
      ['Beta', false],
    ])
    expect((await session.list()).files.map(({ file }) => file)).toContain('RELATIONS.md')
    const [last] = await session.history({ limit: 1 })
    expect(await session.undo()).toMatchObject({ undone: last!.id, file: 'RELATIONS.md' })
    expect(await session.sync({ force: true })).toMatchObject({ errors: [] })
    expect((await session.backup()).files).toBeGreaterThan(3)
    const compacted = await session.compact({ tier: 'MEMORY.md', content: 'Short.' })
    expect(compacted.tier).toBe('MEMORY.md')
    expect((await session.read({ file: 'MEMORY.md' })).content).toBe('Short.\n')
  }))

test('returns the failure of a tool and throws the failure of a method', () =>
  check(async (session) => {
    const message = 'File not found: none.md'
    expect(await session.executeTool('memory_read', { file: 'none.md' })).toEqual({
      status: 'error',
      message,
    })
    await expect(session.read({ file: 'none.md' })).rejects.toThrow(message)
    expect(await session.executeTool('memory_rite', {})).toEqual({
      status: 'error',
      message:
        `Unknown tool 'memory_rite'. Available: ` +
        `['memory_bootstrap', 'memory_read', 'memory_write', 'memory_relate']`,
    })
    expect(await session.executeTool('memory_write', { file: 'daily' })).toEqual({
      status: 'error',
      message:
        'Cannot call memory_write: content is missing ' +
        '(the entry, or the replacement; "" deletes the lines or the `search` text)',
    })
  }))

test('offers the tools that the settings select', async () => {
  await check(
    async ({ tools }) => {
      expect(tools.map(({ name }) => name)).toEqual(['memory_tool'])
    },
    { GROUNDMEMORY_DISPATCHER_MODE: 'true' },
  )
  await check(
    async ({ tools }) => {
      expect(tools.map(({ name }) => name)).toContain('memory_list')
      expect(tools[1]!.inputSchema).toMatchObject({ type: 'object' })
    },
    { GROUNDMEMORY_EXPOSE_MEMORY_LIST: 'true' },
  )
})

test("two sessions of a workspace see each other's writes and manual edits", async () => {
  await using one = await InProcess.create('shared', options())
  await using two = await ByChild.create('shared', options())
  await Promise.all(
    [one, two].flatMap((session, i) =>
      Array.from({ length: 20 }, (_, n) =>
        session.write({ file: 'daily', content: `otter ${i} ${n}` }),
      ),
    ),
  )
  for (const session of [one, two]) {
    const { file } = await session.write({ file: 'daily', content: 'last' })
    const { content } = await session.read({ file })
    expect(content.match(/otter/g)).toHaveLength(40)
  }
  appendFileSync(join(temp().path, 'notes', 'shared', 'USER.md'), '\n## Name\n\nZebedee\n')
  expect((await two.read({ query: 'zebedee' })).count).toBe(1)
})

test('create rejects an invalid workspace or executable', async () => {
  await expect(InProcess.create('../x', options())).rejects.toThrow('../x')
  await expect(ByChild.create('../x', options())).rejects.toThrow('../x')
  const missing = { ...options(), executable: join(temp().path, 'none') }
  await expect(ByChild.create('x', missing)).rejects.toThrow('Cannot run')
})
