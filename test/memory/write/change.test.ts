import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { append } from '../../../src/memory/write/append.ts'
import { findDifference } from '../../../src/memory/write/change.ts'
import { parseEntries } from '../../../src/memory/entry.ts'
import { history } from '../../../src/memory/write/history.ts'
import { parseRelations } from '../../../src/memory/relation/relation.ts'
import { write } from '../../../src/memory/write/write.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { startScript } from '../../support/child.ts'
import { openTestMemory, type TestMemory } from '../../support/memory/memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og change'))

const open = () => openTestMemory(temp().path)
const bodies = (memory: TestMemory) =>
  parseEntries(memory.text('MEMORY.md')).map(({ body }) => body.split(' ').slice(0, 2).join(' '))

test('files are complete after kill -9 at 25 moments and contain the acknowledged entries', async () => {
  const acknowledged: string[] = []
  for (let round = 0; round < 25; round++) {
    await using script = startScript('memory-appender.ts', [temp().path, `r${round}x`])
    const said = (async () => {
      for (let line = await script.line(); line !== null; line = await script.line()) {
        acknowledged.push(line)
      }
    })()
    const known = acknowledged.length
    while (acknowledged.length === known) await Bun.sleep(1)
    await Bun.sleep(1.2 * round)
    await script.kill()
    await said
  }
  const memory = await open()
  await append(memory, { file: 'MEMORY.md', content: 'last one' })
  const entries = parseEntries(memory.text('MEMORY.md')).filter(({ body }) =>
    body.startsWith('entry'),
  )
  const users = memory.text('USER.md').split('\n')
  const relations = parseRelations(memory.text('RELATIONS.md'))
  const found = new Set([
    ...entries.map(({ body }) => body.split(' ').slice(0, 2).join(' ')),
    ...users
      .filter((line) => line.startsWith('user'))
      .map((line) => line.split(' ').slice(0, 2).join(' ')),
    ...relations.map(({ subject }) => `relation ${subject}`),
  ])
  expect(acknowledged.length).toBeGreaterThan(25)
  // Each edit replaces only the last line, "end", so earlier lines stay.
  expect(acknowledged.filter((line) => !found.has(line))).toEqual([])
  for (const { body } of entries) expect(body).toMatch(/^entry r\d+x\d+ (?:äöü🌍 )+äöü🌍$/)
  const leftovers = readdirSync(memory.workspace.path).filter((name) => name.startsWith('.'))
  expect(leftovers).toEqual(['.og'])
  expect((await history(memory.workspace))[0]).toMatchObject({ summary: 'last one' })
})

const journal = (memory: TestMemory) => {
  const folder = join(memory.workspace.path, '.og', 'journal')
  return join(folder, readdirSync(folder).at(-1)!)
}

/** Simulates a kill after the journal was written, by removing its last line, `done`. */
function forgetOutcome(memory: TestMemory) {
  const path = journal(memory)
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  writeFileSync(path, `${lines.slice(0, -1).join('\n')}\n`)
}

test('completes a partial append, even if it ends within a character', async () => {
  const memory = await open()
  await append(memory, { file: 'MEMORY.md', content: 'first' })
  await append(memory, { file: 'MEMORY.md', content: 'second ü' })
  const path = join(memory.workspace.path, 'MEMORY.md')
  const whole = readFileSync(path)
  for (const cut of [1, 2, 10, 20]) {
    forgetOutcome(memory)
    truncateSync(path, whole.length - cut)
    const next = await open()
    await write(next, { file: 'USER.md', content: `cut ${cut}` })
    expect(readFileSync(path, 'utf8')).toBe(whole.toString('utf8'))
    const lines = readFileSync(journal(next), 'utf8').trimEnd().split('\n')
    writeFileSync(journal(next), `${lines.slice(0, 4).join('\n')}\n`)
  }
})

test('voids a write that never reached its file', async () => {
  const memory = await open()
  const before = readFileSync(join(memory.workspace.path, 'MEMORY.md'))
  await append(memory, { file: 'MEMORY.md', content: 'lost' })
  forgetOutcome(memory)
  writeFileSync(join(memory.workspace.path, 'MEMORY.md'), before)
  const next = await open()
  await write(next, { file: 'USER.md', content: 'x' })
  expect((await history(next.workspace)).map(({ summary }) => summary)).toEqual(['x'])
  expect(readFileSync(join(memory.workspace.path, 'MEMORY.md'))).toEqual(before)
})

test('ignores an incomplete journal line', async () => {
  const memory = await open()
  await append(memory, { file: 'MEMORY.md', content: 'one' })
  writeFileSync(journal(memory), readFileSync(journal(memory), 'utf8') + '{"id":"cut')
  await append(memory, { file: 'MEMORY.md', content: 'two' })
  expect((await history(memory.workspace)).map(({ summary }) => summary)).toEqual(['two', 'one'])
})

test('finds a journal line that is longer than one read', async () => {
  const memory = await open()
  await append(memory, { file: 'MEMORY.md', content: 'x'.repeat(200_000) })
  forgetOutcome(memory)
  truncateSync(join(memory.workspace.path, 'MEMORY.md'), 1000)
  const next = await open()
  await append(next, { file: 'MEMORY.md', content: 'y' })
  expect(bodies(next).map(({ length }) => length)).toContain(200_000)
})

test('the next write removes the leftovers of a killed process', async () => {
  const memory = await open()
  const leftover = join(memory.workspace.path, '.USER.md.123.0123456789ab')
  writeFileSync(leftover, 'half')
  await append(memory, { file: 'MEMORY.md', content: 'x' })
  expect(existsSync(leftover)).toBe(false)
})

test('describes a difference as one byte range of whole characters', () => {
  expect(findDifference('aüb', 'aüüb')).toEqual({
    offset: 3,
    removed: '',
    inserted: 'ü',
    context: ['aü', 'b'],
  })
  const text = fc.string({ unit: fc.constantFrom('a', 'ü', '🌍', '🌎', '\n') })
  fc.assert(
    fc.property(text, text, (old, now) => {
      const { offset, removed, inserted } = findDifference(old, now)
      const bytes = Buffer.from(old)
      const end = offset + Buffer.byteLength(removed)
      expect(bytes.subarray(offset, end).toString()).toBe(removed)
      const parts = [bytes.subarray(0, offset), Buffer.from(inserted), bytes.subarray(end)]
      expect(Buffer.concat(parts).toString()).toBe(now)
    }),
  )
})
