import { beforeEach, expect, test } from 'bun:test'
import { read, type ReadRequest } from '../../src/memory/read.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { openTestMemory, outcome } from '../support/memory/memory.ts'
import { openEach } from '../support/run/dispose.ts'
import { textHash } from '../../src/memory/write/memory-file.ts'

const temp = openEach(() => createTempFolder('og read'))
const memory = openEach(() => openTestMemory(temp().path))
beforeEach(() => memory().put('USER.md', 'a\nb\r\nc ü🌍\n'))

async function check(request: ReadRequest, expected: object | string) {
  const result = await outcome(read(memory().workspace, request, memory().now))
  if (typeof expected === 'string') expect(result).toBe(expected)
  else expect(result).toMatchObject(expected)
}

test('reads a whole file or some lines, and returns an empty text past the end', async () => {
  await check(
    { file: 'USER.md' },
    {
      mode: 'get',
      file: 'USER.md',
      start_line: null,
      end_line: null,
      exists: true,
      content: 'a\nb\r\nc ü🌍\n',
      chars: 10,
      total_lines: 3,
      hash: textHash('a\nb\r\nc ü🌍\n'),
    },
  )
  await check(
    { file: 'USER.md', start_line: 2, end_line: 2 },
    { start_line: 2, end_line: 2, content: 'b\r\n', chars: 3, total_lines: 3 },
  )
  await check({ file: 'USER.md', end_line: 1 }, { content: 'a\n' })
  await check({ file: 'USER.md', start_line: 9 }, { content: '', chars: 0 })
  await memory().put('daily/2026-03-20.md', 'today')
  await check({ file: 'daily' }, { file: 'daily/2026-03-20.md', content: 'today', total_lines: 1 })
})

test('weakness 36: rejects line 0', async () => {
  await check(
    { file: 'USER.md', start_line: 0 },
    `'start_line' must be a whole number from 1, not 0`,
  )
  await check({ file: 'USER.md', end_line: -1 }, `'end_line' must be a whole number from 1, not -1`)
})

test('rejects missing and private files', async () => {
  await check({ file: 'no.md' }, 'File not found: no.md')
  await check({ file: '.og/lock' }, `Access denied: '.og/lock' is not a memory file.`)
})
