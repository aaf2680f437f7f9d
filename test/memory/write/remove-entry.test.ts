import { expect, test } from 'bun:test'
import { parseEntries } from '../../../src/memory/entry.ts'
import { history, undo } from '../../../src/memory/write/history.ts'
import { removeEntry } from '../../../src/memory/write/edit.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openTestMemory, outcome } from '../../support/memory/memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og remove'))
const memory = openEach(() => openTestMemory(temp().path))

const text = '# Memory\n\n## One\n\nA.\n\n\n## Two\n\nB.\n\n## Three\n\nC.\n'
const idOf = (heading: string) => parseEntries(text).find((it) => it.heading === heading)!.id

test('removes an entry from an append-only file, and undo restores it', async () => {
  await memory().put('MEMORY.md', text)
  const { write_id } = await removeEntry(memory(), { file: 'MEMORY.md', id: idOf('Two') })
  expect(memory().text('MEMORY.md')).toBe('# Memory\n\n## One\n\nA.\n\n## Three\n\nC.\n')
  const [write] = await history(memory().workspace, { text: '## Two' })
  expect(write).toMatchObject({ id: write_id, op: 'delete_entry', file: 'MEMORY.md' })
  expect(await history(memory().workspace, { text: '## Four' })).toEqual([])
  await undo(memory(), { id: write_id })
  expect(memory().text('MEMORY.md')).toBe(text)
})

test('removes the last entry and keeps line endings', async () => {
  const crlf = text.replaceAll('\n', '\r\n')
  await memory().put('daily/2026-01-05.md', crlf)
  const id = parseEntries(crlf).at(-1)!.id
  await removeEntry(memory(), { file: 'daily/2026-01-05.md', id })
  expect(memory().text('daily/2026-01-05.md')).toBe(crlf.replace('\r\n## Three\r\n\r\nC.\r\n', ''))
})

test('rejects unknown files and entries', async () => {
  await memory().put('MEMORY.md', text)
  await memory().put('notes.txt', text)
  for (const file of ['notes.txt', '../x', 'RELATIONS.md', 'backups/x.zip', '']) {
    expect(await outcome(removeEntry(memory(), { file, id: idOf('One') }))).toBe(
      `Cannot delete an entry of "${file}": it is not a file of entries`,
    )
  }
  expect(await outcome(removeEntry(memory(), { file: 'MEMORY.md', id: '000000000000' }))).toBe(
    'Cannot delete entry "000000000000": MEMORY.md no longer has this entry',
  )
  expect(memory().text('MEMORY.md')).toBe(text)
})
