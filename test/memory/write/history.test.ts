import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { append } from '../../../src/memory/write/append.ts'
import { history, undo } from '../../../src/memory/write/history.ts'
import { relate } from '../../../src/memory/relate.ts'
import { write } from '../../../src/memory/write/write.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openTestMemory, outcome } from '../../support/memory/memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og history'))
const memory = openEach(() => openTestMemory(temp().path))

const user = (search: string, content: string) =>
  write(memory(), { file: 'USER.md', search, content })

test('lists writes, newest first', async () => {
  await append(memory(), {
    file: 'MEMORY.md',
    content: 'tea',
    tags: ['a'],
    validUntil: '2030-01-01',
  })
  await memory().put('USER.md', 'one\ntwo\n')
  await user('two\n', '')
  await relate(memory(), { subject: 'A', predicate: 'p', object: 'B' })
  const entries = await history(memory().workspace)
  const shown = entries.map(({ op, file, summary }) => [op, file, summary])
  expect(shown).toEqual([
    ['relate', 'RELATIONS.md', '- [A] --p--> [B] (2026-03-20)'],
    ['replace_text', 'USER.md', 'two'],
    ['append', 'MEMORY.md', 'tea'],
  ])
  expect(await history(memory().workspace, { file: 'USER.md' })).toHaveLength(1)
  expect(await history(memory().workspace, { limit: 1 })).toHaveLength(1)
})

test('undoes the newest write, then the one before, and an undo', async () => {
  const before = memory().text('MEMORY.md')
  await append(memory(), { file: 'MEMORY.md', content: 'one' })
  const one = memory().text('MEMORY.md')
  await append(memory(), { file: 'MEMORY.md', content: 'two' })
  const two = memory().text('MEMORY.md')
  expect(await undo(memory())).toMatchObject({ op: 'append', file: 'MEMORY.md' })
  expect(memory().text('MEMORY.md')).toBe(one)
  const second = await undo(memory())
  expect(memory().text('MEMORY.md')).toBe(before)
  expect(await outcome(undo(memory()))).toBe('There is nothing to undo')
  await undo(memory(), { id: second.write_id })
  expect(memory().text('MEMORY.md')).toBe(one)
  expect((await history(memory().workspace)).map(({ undone }) => undone)).toEqual([
    false,
    true,
    false,
    true,
    false,
  ])
  expect(two).not.toBe(one)
})

test('undoes an earlier write in its place, whatever was written later', async () => {
  await memory().put('USER.md', 'a\nb\nc\nd\n')
  const first = await user('b\n', 'BBB\n')
  await user('a\n', 'a long line before it\n')
  await user('d\n', '')
  await undo(memory(), { id: first.write_id! })
  expect(memory().text('USER.md')).toBe('a long line before it\nb\nc\n')
})

test('refuses to undo text that was overwritten', async () => {
  await memory().put('USER.md', 'a b c\n')
  const first = await user('b', 'B')
  const second = await user('B c', 'x')
  const error = await undo(memory(), { id: first.write_id! }).catch((thrown) => thrown)
  expect(error.message).toBe(
    `Cannot undo ${first.write_id}: USER.md has changed at the same place since`,
  )
  expect(error.hint).toContain(second.write_id!)
  expect(await outcome(undo(memory(), { id: 'none' }))).toBe('There is no write "none"')
})

test('undoes a deletion in its place after another program has appended lines', async () => {
  await memory().put('USER.md', 'one\ntwo\nthree\n')
  await user('two\n', '')
  await memory().put('USER.md', `${memory().text('USER.md')}by hand\n`)
  await undo(memory())
  expect(memory().text('USER.md')).toBe('one\ntwo\nthree\nby hand\n')
})

test('undoes a write after a manual edit if its text is unique', async () => {
  const entry = await append(memory(), { file: 'MEMORY.md', content: 'unique fact' })
  await memory().put('MEMORY.md', `# by hand\n${memory().text('MEMORY.md')}`)
  await undo(memory(), { id: entry.write_id! })
  expect(memory().text('MEMORY.md')).not.toContain('unique')
  expect(memory().text('MEMORY.md')).toStartWith('# by hand\n')
})

test('undoing any number of edits, newest first, restores the text', async () => {
  const text = fc.stringMatching(/^[aü🌍\n]{1,6}$/)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(), fc.nat(), text), { minLength: 1, maxLength: 5 }),
      async (edits) => {
        const start = 'ab\nüc\n🌍d\ne\n'
        await memory().put('USER.md', start)
        let nEdits = 0
        for (const [from, length, content] of edits) {
          const nLines = memory().text('USER.md').split('\n').length - 1
          if (nLines === 0) break
          const start_line = 1 + (from % nLines)
          const end_line = start_line + (length % 2)
          const put = content.slice(length % 2)
          const { write_id } = await write(memory(), {
            file: 'USER.md',
            start_line,
            end_line,
            content: put,
          })
          if (write_id !== undefined) nEdits++
        }
        for (let i = 0; i < nEdits; i++) await undo(memory())
        expect(memory().text('USER.md')).toBe(start)
      },
    ),
    { numRuns: 15 },
  )
})
