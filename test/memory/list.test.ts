import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { list, type ListRequest } from '../../src/memory/read.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { openTestMemory, outcome } from '../support/memory/memory.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og list'))
const memory = openEach(() => openTestMemory(temp().path))

async function check(request: ListRequest, expected: object | string) {
  const result = await outcome(list(memory().workspace, request, memory().now))
  if (typeof expected === 'string') expect(result).toBe(expected)
  else expect(result).toMatchObject(expected)
}

test('lists files, daily logs, and the first lines of a file', async () => {
  await memory().put('USER.md', 'a\nb\n')
  await memory().put('daily/2026-03-19.md', 'x\n')
  await memory().put('daily/2026-03-20.md', `${'y\n'.repeat(30)}`)
  await check(
    {},
    {
      count: 6,
      files: [
        { file: 'MEMORY.md' },
        { file: 'USER.md', line_count: 2, size: 4 },
        { file: 'AGENTS.md' },
        { file: 'RELATIONS.md' },
        { file: 'daily/2026-03-19.md', line_count: 1, size: 2 },
        { file: 'daily/2026-03-20.md', line_count: 30 },
      ],
    },
  )
  await check({ target: 'daily' }, { daily_files: ['2026-03-20.md', '2026-03-19.md'], count: 2 })
  await check({ file: 'daily' }, { line_count: 30, preview: Array(20).fill('y') })
  await check({ file: 'no.md' }, 'File not found: no.md')
  await check({ target: 'x' }, `Unknown target 'x'. Valid targets: ['files', 'daily'].`)
})

test('lists all files even if one is not text', async () => {
  await memory().put('daily/2026-03-19.md', '')
  writeFileSync(join(memory().workspace.path, 'daily', '2026-03-19.md'), Uint8Array.of(0xff, 10))
  await check({}, { count: 5 })
})
