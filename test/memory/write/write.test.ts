import { expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parseEntries } from '../../../src/memory/entry.ts'
import { write, type WriteRequest } from '../../../src/memory/write/write.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openTestMemory, outcome } from '../../support/memory/memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og write'))
const memory = openEach(() => openTestMemory(temp().path))

const five = 'one\ntwo\nthree\nfour\nfive\n'

/**
 * Expects this text of USER.md and these fields of the result, or this error message and unchanged
 * text.
 */
async function check(
  request: Omit<WriteRequest, 'file'>,
  expected: string,
  options: { before?: string; file?: string; result?: object } = {},
) {
  const { before = five, file = 'USER.md', result } = options
  await memory().put(file, before)
  const found = await outcome(write(memory(), { file, ...request }))
  if (typeof found !== 'string') {
    expect(memory().text(file)).toBe(expected)
    expect(found).toMatchObject({ file, ...result })
    return
  }
  expect(found).toBe(expected)
  expect(memory().text(file)).toBe(before)
}

test('replaces the first occurrence, across lines, and returns the difference in length', async () => {
  const result = { mode: 'replace_text', replaced: true, chars_delta: -2 }
  await check({ search: 'o\nth', content: 'O\n' }, 'one\ntwO\nree\nfour\nfive\n', { result })
  await check({ search: 'b', content: 'ü🌍' }, 'aü🌍b', {
    before: 'abb',
    result: { chars_delta: 1 },
  })
  await check({ search: 'b', content: '$&$1' }, 'a$&$1', { before: 'ab' })
  await check({ search: 'two\n', content: '' }, 'one\nthree\nfour\nfive\n')
  await check({ search: 'x', content: 'y' }, 'Search text not found in USER.md')
  await check({ search: ' ', content: 'y' }, `'search' cannot be empty or whitespace.`)
  await check(
    { search: 'two', content: 'TWO', start_line: 1, end_line: 1 },
    'one\nTWO\nthree\nfour\nfive\n',
  )
})

test('replaces lines, 1-based and inclusive, up to the end of the file', async () => {
  await check({ start_line: 1, end_line: 2, content: 'x' }, 'x\nthree\nfour\nfive\n', {
    result: {
      mode: 'replace_lines',
      replaced_lines: '1-2',
      replaced_preview: 'one\ntwo\n',
      chars_delta: -6,
    },
  })
  await check({ start_line: 5, end_line: 99, content: 'x\ny\n' }, 'one\ntwo\nthree\nfour\nx\ny\n', {
    result: { replaced_lines: '5-5' },
  })
  await check({ start_line: 2, end_line: 2, content: ' ' }, 'one\n \nthree\nfour\nfive\n')
  await check({ start_line: 1, end_line: 1, content: 'x' }, 'x\n', {
    before: 'y'.repeat(100),
    result: { replaced_preview: 'y'.repeat(80) },
  })
  await check(
    { start_line: 6, end_line: 6, content: 'x' },
    'start_line 6 out of range (file has 5 lines)',
  )
  await check(
    { start_line: 0, end_line: 1, content: 'x' },
    'start_line 0 out of range (file has 5 lines)',
  )
  await check({ start_line: 3, end_line: 2, content: 'x' }, 'end_line 2 must be >= start_line 3')
  await check(
    { start_line: 1, end_line: 1, content: 'x' },
    'start_line 1 out of range (file has 0 lines)',
    { before: '' },
  )
})

test('deletes lines if the new content is empty', async () => {
  await check({ start_line: 2, end_line: 4, content: '' }, 'one\nfive\n', {
    result: { mode: 'delete', deleted_lines: '2-4' },
  })
  await check({ start_line: 5, end_line: 9, content: '' }, 'one\ntwo\nthree\nfour\n', {
    result: { deleted_lines: '5-5' },
  })
})

test('weakness 9: deletes nothing if content is omitted, and rejects a lone line number', async () => {
  await check({ start_line: 1, end_line: 2 }, `'content' is required: pass "" to delete lines 1-2.`)
  await check({ search: 'one' }, `'content' is required: pass "" to delete the text found.`)
  const lone = `Give both 'start_line' and 'end_line', or neither to append.`
  await check({ start_line: 1, content: 'x' }, lone)
  await check({ end_line: 1, content: 'x' }, lone)
})

test('weakness 10: does not edit lines that differ from `expect`', async () => {
  const stale = 'USER.md differs from the expected text; nothing was changed'
  await check(
    { start_line: 2, end_line: 3, content: 'x', expect: 'two\nthree' },
    'one\nx\nfour\nfive\n',
  )
  await check({ start_line: 2, end_line: 3, content: 'x', expect: 'one\ntwo' }, stale)
  await check({ start_line: 2, end_line: 2, content: '', expect: 'tw' }, stale)
  await check({ start_line: 1, end_line: 1, content: 'x', expect: 'a' }, 'x\r\nb\r\n', {
    before: 'a\r\nb\r\n',
  })
})

test('does not edit an append-only file under any name', async () => {
  mkdirSync(join(memory().workspace.path, 'daily'))
  symlinkSync('MEMORY.md', join(memory().workspace.path, 'alias.md'))
  writeFileSync(join(memory().workspace.path, 'daily', '2026-01-01.md'), 'x\n')
  for (const file of [
    'MEMORY.md',
    'alias.md',
    'daily/2026-01-01.md',
    'daily/../MEMORY.md',
    'daily',
  ]) {
    for (const request of [{ search: 'x' }, { start_line: 1, end_line: 1 }]) {
      expect(await outcome(write(memory(), { file, content: '', ...request }))).toBe(
        `'${file}' is an append-only memory file and cannot be edited or deleted. ` +
          'Use memory_write to append new information instead.',
      )
    }
  }
  expect(await outcome(write(memory(), { file: 'no.md', search: 'x', content: 'y' }))).toBe(
    'File not found: no.md',
  )
})

test('weakness 6: an edit keeps mode, line endings and links', async () => {
  const path = join(memory().workspace.path, 'USER.md')
  await check({ search: 'a\nb', content: 'c\nd' }, 'c\r\nd\r\n', { before: 'a\r\nb\r\n' })
  await check({ start_line: 1, end_line: 1, content: 'x\ny' }, 'x\r\ny\r\nd\r\n', {
    before: 'c\r\nd\r\n',
  })
  await check({ search: 'a', content: 'b' }, '\uFEFFb\n', { before: '\uFEFFa\n' })
  chmodSync(path, 0o664)
  renameSync(path, join(memory().workspace.path, 'other.md'))
  symlinkSync('other.md', path)
  await write(memory(), { file: 'USER.md', search: 'b', content: 'c' })
  expect(lstatSync(path).isSymbolicLink()).toBe(true)
  expect(statSync(path).mode & 0o777).toBe(0o664)
})

test('rejects a file that is not UTF-8', async () => {
  writeFileSync(join(memory().workspace.path, 'USER.md'), Buffer.from([0x61, 0xff]))
  expect(await outcome(write(memory(), { file: 'USER.md', search: 'a', content: 'b' }))).toBe(
    'Cannot read USER.md: it is not UTF-8 text',
  )
})

test('in RELATIONS.md, the replacement and the resulting lines must be relations', async () => {
  const before = '# Relations\nprose\n- [A] --p--> [B] (2026-01-02)\n- [C] --q--> [D]\n'
  const file = 'RELATIONS.md'
  const reminder =
    'Required format for each line: - [Subject] --predicate--> [Object] (YYYY-MM-DD) — ' +
    '"optional note"\nExample: - [Alice] --leads--> [Auth Team] (2026-03-20) — "Sprint planning"'
  const line = { start_line: 4, end_line: 4 }
  await check(
    { ...line, content: 'bad' },
    `Replacement contains 1 invalid line(s): ['bad']\n${reminder}`,
    { before, file },
  )
  await check(
    { ...line, content: '# x\n\n- [E] --r--> [F]' },
    before.replace('- [C] --q--> [D]', '# x\n\n- [E] --r--> [F]'),
    {
      before,
      file,
      result: {
        relations_format: 'confirmed',
        format_reminder: reminder,
        relations_synced: { upserted: 2, deleted: 1, total_in_file: 2 },
      },
    },
  )
  await check({ ...line, content: '' }, before.replace('- [C] --q--> [D]\n', ''), {
    before,
    file,
    result: { mode: 'delete', relations_deleted: ['[C] --q--> [D]'] },
  })
  const twice = `'- - [Z] --p--> [O] (2026-01-02)'`
  await check(
    { search: '[A] --p--> [B]', content: '- [Z] --p--> [O]' },
    `Replacement contains 1 invalid line(s): [${twice}]\n${reminder}`,
    { before, file },
  )
  await check(
    { search: '- [C] --q--> [D]', content: '- [C] --q--> [E]' },
    before.replace('[D]', '[E]'),
    { before, file },
  )
  await check(
    { search: '\n- [C] --q--> [D]', content: '' },
    before.replace('\n- [C] --q--> [D]', ''),
    { before, file },
  )
})

test('the first successful write ends the first run, and a failed one does not', async () => {
  await outcome(write(memory(), { file: 'no.md', content: 'x' }))
  expect(memory().text('FIRST_RUN.md')).toStartWith('# First Run')
  await memory().put('MEMORY.md', '## a\nx\n')
  expect(await write(memory(), { file: 'MEMORY.md', content: 'x' })).toMatchObject({
    deduplicated: true,
  })
  expect(memory().text('FIRST_RUN.md')).toBe('')
  expect(existsSync(join(memory().workspace.path, 'FIRST_RUN.md'))).toBe(true)
})

test('writes nothing if an edit changes nothing', async () => {
  await check({ search: 'two', content: 'two' }, five)
  expect(memory().written).toEqual([])
})

test('an explicitly empty correction retires an entry', async () => {
  await memory().put('MEMORY.md', '## a\nBob is 40\n')
  const corrects = parseEntries(memory().text('MEMORY.md'))[0]!.id
  expect(await outcome(write(memory(), { file: 'MEMORY.md', corrects }))).toBe(
    `'content' is required: pass "" to delete entry ${corrects} from what is recalled.`,
  )
  await write(memory(), { file: 'MEMORY.md', corrects, content: '' })
  expect(memory().text('MEMORY.md')).toEndWith(`\n\n<!-- corrects: ${corrects} -->\n`)
})

test('records how long an entry is valid, and rejects malformed or impossible times', async () => {
  const file = 'MEMORY.md'
  const entry = (mark: string) => `\n## 2026-03-20 10:05\n\n<!-- valid ${mark} -->\nx\n`
  const lasting = async (request: WriteRequest, mark: string) =>
    check({ content: 'x', ...request }, entry(mark), { before: '', file })
  await lasting({ until: '2026-04-01' }, 'until 2026-04-01')
  await lasting({ for: '30d' }, 'until 2026-04-19')
  await lasting({ for: '1m', valid_from: '2027-01-31' }, 'from 2027-01-31 until 2027-02-28')
  await lasting({ for: '4y', valid_from: '2028-02-29' }, 'from 2028-02-29 until 2032-02-29')
  await lasting({ for: '1y', valid_from: '2026-05-01' }, 'from 2026-05-01 until 2027-05-01')
  await lasting({ valid_from: '2026-05-01' }, 'from 2026-05-01')
  for (const [request, message] of [
    [{ until: 'tomorrow' }, `'until' must be a date like 2026-03-20, not "tomorrow"`],
    [{ for: 'ever' }, `'for' has to be a time like 30d, 2w, 6m or 1y, not "ever"`],
    [{ for: '1d', until: '2026-04-01' }, `Give 'until' or 'for', not both.`],
    [
      { until: '2026-03-20' },
      'The entry would never be valid: it ends on 2026-03-20 and begins on 2026-03-20.',
    ],
  ] as const) {
    expect(await outcome(write(memory(), { file, content: 'x', ...request }))).toBe(message)
  }
  const edit = { file: 'USER.md', search: 'a', content: 'b', until: '2026-04-01' }
  expect(await outcome(write(memory(), edit))).toBe(
    `'until' applies to new entries only, not to replaced text.`,
  )
})

test('writes an entry with a validity even if its text exists', async () => {
  await write(memory(), { content: 'x' })
  expect(await write(memory(), { content: 'x' })).toMatchObject({ deduplicated: true })
  expect(await write(memory(), { content: 'x', for: '2w' })).toMatchObject({ deduplicated: false })
})
