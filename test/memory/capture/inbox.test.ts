import { expect, test } from 'bun:test'
import {
  addNotes,
  editInbox,
  maxInboxNotes,
  readInbox,
  type InboxNote,
} from '../../../src/memory/capture/inbox.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openTestMemory } from '../../support/memory/memory.ts'

const note = (number: number, more: Partial<InboxNote> = {}): InboxNote => ({
  id: String(number).padStart(12, '0'),
  kind: 'rule',
  to: 'AGENTS.md',
  text: `Note ${number}`,
  turn: 1,
  client: 'codex',
  session: 's-1',
  at: '2026-03-20 10:05',
  ...more,
})

test('keeps notes with their sources in a Markdown file that people may edit', async () => {
  await using temp = await createTempFolder('inbox')
  const memory = await openTestMemory(temp.path)
  const { workspace } = memory
  expect(await readInbox(workspace)).toEqual([])
  const notes = [note(1), note(2, { kind: 'files', to: 'daily', text: 'a\nb' })]
  await editInbox(workspace, () => notes)
  expect(await readInbox(workspace)).toEqual(notes)
  const edited = memory
    .text('INBOX.md')
    .replace('Note 1', 'Changed by hand')
    .replaceAll('\n', '\r\n')
  await memory.put('INBOX.md', `${edited}\r\n## Another heading\r\n`)
  const texts = (await readInbox(workspace)).map(({ text }) => text)
  expect(texts).toEqual(['Changed by hand', 'a\nb\n\n## Another heading'])
})

test('keeps text that a person wrote above the first note', async () => {
  await using temp = await createTempFolder('inbox')
  const memory = await openTestMemory(temp.path)
  await memory.put('INBOX.md', '# Inbox\n\nAsk Ann about the rules.\n')
  await editInbox(memory.workspace, () => [note(1)])
  await editInbox(memory.workspace, (notes) => [...notes, note(2)])
  expect(memory.text('INBOX.md')).toStartWith('# Inbox\n\nAsk Ann about the rules.\n\n## rule 0')
  expect(await readInbox(memory.workspace)).toEqual([note(1), note(2)])
  await editInbox(memory.workspace, () => [])
  expect(memory.text('INBOX.md')).toBe('# Inbox\n\nAsk Ann about the rules.\n')
})

test('adds a note once, replaces a summary, and stops when the inbox is full', () => {
  const summary = note(2, { to: 'daily', text: 'new' })
  const { notes } = addNotes([note(1), note(2, { to: 'daily' })], [note(1), summary, note(3)])
  expect(notes).toEqual([note(1), summary, note(3)])
  const full = Array.from({ length: maxInboxNotes }, (_, at) => note(at))
  const { notes: kept, rejected } = addNotes(full, [note(5000), note(3)])
  expect([kept.length, rejected]).toEqual([maxInboxNotes, 1])
})
