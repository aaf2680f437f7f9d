import { expect, test } from 'bun:test'
import { replaceLines, replaceText, type LineRequest } from '../../../src/memory/write/edit.ts'
import { history, undo } from '../../../src/memory/write/history.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openTestMemory, outcome, projects } from '../../support/memory/memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og edit'))
const memory = openEach(() => openTestMemory(temp().path))

/** Replaces text in USER.md; returns the new text, and the result or the error message. */
async function searched(before: string, search: string, content: string) {
  await memory().put('USER.md', before)
  const result = await outcome(replaceText(memory(), { file: 'USER.md', search, content }))
  return [memory().text('USER.md'), result] as const
}

async function lines(before: string, request: Omit<LineRequest, 'file'>) {
  await memory().put('USER.md', before)
  const result = await outcome(replaceLines(memory(), { file: 'USER.md', ...request }))
  return [memory().text('USER.md'), result] as const
}

test('replaces the first of two occurrences, literally', async () => {
  const [text, result] = await searched('a.c abc a.c\n', 'a.c', '$1$&')
  expect(text).toBe('$1$& abc a.c\n')
  expect(result).toMatchObject({ file: 'USER.md', mode: 'replace_text', chars_delta: 1 })
})

test('matches any line endings and keeps the original ones', async () => {
  expect((await searched('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz'))[0]).toBe('x\r\ny\r\nz\r\nc\r\n')
  expect((await searched('a\nb\nc\n', 'a\r\nb', 'x\r\ny'))[0]).toBe('x\ny\nc\n')
  expect(
    (await lines('a\r\nb\r\n', { startLine: 2, endLine: 2, content: 'x\ny', expect: 'b\n' }))[0],
  ).toBe('a\r\nx\r\ny\r\n')
})

test('replaces half a surrogate pair with U+FFFD', async () => {
  expect((await searched('ab\n', 'a', '\ud83d'))[0]).toBe('\ufffdb\n')
  expect((await lines('ab\n', { startLine: 1, endLine: 1, content: '\udc00' }))[0]).toBe('\ufffd\n')
  await undo(memory())
  expect(memory().text('USER.md')).toBe('ab\n')
})

test('replaces whole lines, even a last line without newline', async () => {
  const [text, result] = await lines('a\nb', { startLine: 2, endLine: 7, content: 'üx' })
  expect(text).toBe('a\nüx\n')
  expect(result).toMatchObject({ replaced_lines: '2-2', replaced_preview: 'b', chars_delta: 2 })
  expect(await lines('a\nb\nc\n', { startLine: 1, endLine: 2, content: '' })).toEqual([
    'c\n',
    { file: 'USER.md', mode: 'delete', deleted_lines: '1-2', write_id: expect.any(String) },
  ])
})

test('rejects invalid line numbers and changes nothing', async () => {
  for (const [startLine, endLine, message] of [
    [1.5, 2, 'start_line 1.5 out of range (file has 2 lines)'],
    [NaN, 2, 'start_line NaN out of range (file has 2 lines)'],
    [3, 3, 'start_line 3 out of range (file has 2 lines)'],
    [1, NaN, 'end_line NaN must be >= start_line 1'],
    [2, 1, 'end_line 1 must be >= start_line 2'],
  ] as const) {
    expect(await lines('a\nb\n', { startLine, endLine, content: 'x' })).toEqual(['a\nb\n', message])
  }
  expect(memory().written).toEqual([])
  expect(await history(memory().workspace)).toEqual([])
})

test('applies concurrent edits in order, each on the result of the other', async () => {
  await memory().put('USER.md', 'a b\n')
  const edit = (search: string, content: string) =>
    replaceText(memory(), { file: 'USER.md', search, content })
  await Promise.all([edit('a', 'x'), edit('x b', 'y'), edit('y', 'z')])
  expect(memory().text('USER.md')).toBe('z\n')
})

test('records no write if the text does not change', async () => {
  expect((await searched('a\n', 'a', 'a'))[1]).not.toHaveProperty('write_id')
  expect((await searched('a\n', 'a', 'b'))[1]).toHaveProperty('write_id')
  expect(memory().written).toHaveLength(1)
})

test('returns the id that undoes an edit', async () => {
  const [, result] = await searched('a b\n', 'a', 'c')
  await undo(memory(), { id: (result as { write_id: string }).write_id })
  expect(memory().text('USER.md')).toBe('a b\n')
})

test('writes the text and warns if indexing fails', async () => {
  memory().onWritten = () => {
    throw new Error('no space')
  }
  const [text, result] = await searched('a\n', 'a', 'b')
  expect([text, result]).toEqual([
    'b\n',
    expect.objectContaining({ warning: 'Index sync failed: no space' }),
  ])
})

test('the settings decide which tiers, logs and custom files may be edited', async () => {
  const custom = { ...projects, mutable: false }
  const options = { customFiles: [custom, { ...custom, name: 'free.md', mutable: true }] }
  const other = await openTestMemory(temp().path, options)
  other.mutableTiers = ['MEMORY.md', 'daily']
  const files = ['MEMORY.md', 'daily', 'free.md', 'USER.md', 'projects.md', 'daily/2026-03-19.md']
  for (const file of files) await other.put(file === 'daily' ? 'daily/2026-03-20.md' : file, 'a\n')
  const edited = await Promise.all(
    files.map(async (file) => {
      const result = await outcome(replaceText(other, { file, search: 'a', content: 'b' }))
      return typeof result === 'string' ? 'refused' : result.file
    }),
  )
  expect(edited).toEqual([
    'MEMORY.md',
    'daily/2026-03-20.md',
    'free.md',
    'refused',
    'refused',
    'refused',
  ])
})

const graph = '# Relations\n- [A] --p--> [B]\n- [C] --q--> [D]\n'

test('deletes whole lines of relations, whatever surrounds them', async () => {
  await memory().put('RELATIONS.md', `prose\n${graph}prose\n`)
  const request = { file: 'RELATIONS.md', startLine: 3, endLine: 4, content: '' }
  expect(await outcome(replaceLines(memory(), request))).toMatchObject({
    relations_deleted: ['[A] --p--> [B]', '[C] --q--> [D]'],
  })
  expect(memory().text('RELATIONS.md')).toBe('prose\n# Relations\nprose\n')
})

test('checks edits of relations and reports the changes', async () => {
  await memory().put('RELATIONS.md', graph)
  const change = (search: string, content: string) =>
    outcome(replaceText(memory(), { file: 'RELATIONS.md', search, content }))
  expect(await change('[B]', '[B')).toContain(`invalid line(s): ['[B']`)
  expect(await change('[C] --q--> [D]', '- [E] --r--> [F]')).toContain('- - [E]')
  expect(memory().text('RELATIONS.md')).toBe(graph)
  expect(await change('- [A] --p--> [B]\n', '')).toMatchObject({
    relations_deleted: ['[A] --p--> [B]'],
    relations_format: 'confirmed',
    relations_synced: { upserted: 1, deleted: 1, total_in_file: 1 },
  })
  expect(await change('# Relations', '# Graph')).toMatchObject({
    relations_synced: { upserted: 1, deleted: 0, total_in_file: 1 },
  })
  expect(memory().text('RELATIONS.md')).toBe('# Graph\n- [C] --q--> [D]\n')
})
