import { beforeEach, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import {
  memoryCompactTool,
  memoryRelateTool,
  memoryWriteTool,
} from '../../../src/mcp/memory/memory-tools.ts'
import { readArguments } from '../../../src/mcp/arguments.ts'
import { listBackups } from '../../../src/memory/backup/backup-list.ts'
import type { MemoryContext } from '../../../src/mcp/memory/memory-tool.ts'
import type { Call, Tool } from '../../../src/mcp/tool.ts'
import { openMemoryHome } from '../../support/memory/mcp-memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const home = openEach(openMemoryHome)
const context = openEach(() => home().context())
beforeEach(() => context().memory.session())

const file = (name: string) => readFileSync(home().file(name), 'utf8')

/** Calls a tool and checks its answer against its schema. */
async function answer(tool: Tool<MemoryContext & Call>, given: Record<string, unknown>) {
  const read = readArguments(tool, given)
  if ('problem' in read) return read.problem
  const ran = await tool.run(context(), read.values).catch((error: Error) => error.message)
  if (typeof ran === 'string') return ran
  expect(tool.output.parse(ran.structured)).toEqual(ran.structured)
  return ran.structured
}

test('memory_write appends an entry that its id can undo', async () => {
  const written = await answer(memoryWriteTool, {
    file: 'MEMORY.md',
    content: 'A heron.',
    tags: ['x'],
  })
  expect(written).toMatchObject({ status: 'ok', mode: 'append', tier: 'long_term' })
  expect(file('MEMORY.md')).toEndWith('\n\n#x\nA heron.\n')
  const { write_id: id } = written as { write_id: string }
  expect(await (await context().memory.session()).undo({ id })).toMatchObject({ undone: id })
  expect(file('MEMORY.md')).not.toContain('heron')
})

test('places a correction before the corrected entry', async () => {
  const wrong = await answer(memoryWriteTool, {
    file: 'MEMORY.md',
    content: 'The heron eats bread, and eats.',
  })
  const { entry_id: corrects } = wrong as { entry_id: string }
  await answer(memoryWriteTool, { file: 'MEMORY.md', content: 'The heron eats frogs.', corrects })
  const { results } = await (await context().memory.session()).recall({ query: 'heron eats bread' })
  expect(results[0]!.text).toContain('frogs')
})

test('rejects an edit with an empty search or without content', async () => {
  writeFileSync(home().file('USER.md'), 'one\ntwo\n')
  const given = { file: 'USER.md', content: 'x' }
  expect(await answer(memoryWriteTool, { ...given, search: '' })).toContain(
    "'search' cannot be empty",
  )
  expect(await answer(memoryWriteTool, { file: 'USER.md', search: 'two' })).toContain(
    'content is missing',
  )
  expect(
    await answer(memoryWriteTool, { ...given, start_line: 1, end_line: 1, expect: 'other' }),
  ).toContain('differs from the expected text')
  expect(file('USER.md')).toBe('one\ntwo\n')
  expect(await answer(memoryWriteTool, { ...given, search: 'two' })).toMatchObject({
    replaced: true,
  })
  expect(file('USER.md')).toBe('one\nx\n')
})

test('memory_relate records, recognizes and supersedes relations', async () => {
  const ann = { subject: 'Ann', predicate: 'works at' }
  const given = { ...ann, object: 'Acme', note: 'since May', confidence: 0.5, since: '2025-05-01' }
  expect(await answer(memoryRelateTool, given)).toMatchObject({
    relation: { ...ann, object: 'Acme', note: 'since May', confidence: 0.5 },
    line: expect.stringContaining('[Ann] --works at--> [Acme]'),
  })
  expect(await answer(memoryRelateTool, given)).toMatchObject({ deduplicated: true })
  expect(
    await answer(memoryRelateTool, { ...ann, object: 'Beta', supersedes: true }),
  ).toMatchObject({ superseded: [{ ...ann, object: 'Acme' }] })
  expect(
    await answer(memoryRelateTool, { ...ann, object: 'x', since: '2025-05-01T10:00' }),
  ).toContain('since is')
})

test('memory_compact replaces an unchanged tier and backs up the old text', async () => {
  const read = await (await context().memory.session()).read({ file: 'MEMORY.md' })
  const given = { tier: 'MEMORY.md', content: '# Memory\n\nshort' }
  expect(await answer(memoryCompactTool, { ...given, expect: 'another' })).toContain(
    'differs from the expected',
  )
  const done = await answer(memoryCompactTool, { ...given, expect: read.hash })
  expect(done).toMatchObject({ tier: 'MEMORY.md', chars_written: 15 })
  expect(file('MEMORY.md')).toBe('# Memory\n\nshort\n')
  const { backup } = done as { backup: string }
  const { workspace } = await context().memory.session()
  expect((await listBackups(workspace)).map(({ name }) => name)).toEqual([backup])
})

test('annotates destructive and idempotent tools', () => {
  const hints = [memoryWriteTool, memoryRelateTool, memoryCompactTool].map(
    ({ annotations }) => annotations,
  )
  expect(hints.map(({ readOnlyHint }) => readOnlyHint)).toEqual([false, false, false])
  expect(hints.map(({ destructiveHint }) => destructiveHint)).toEqual([true, false, true])
  expect(hints.map(({ idempotentHint }) => idempotentHint)).toEqual([false, true, false])
})
