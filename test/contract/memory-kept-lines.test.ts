/** Checks that og never loses a line that another program writes into a memory file. */
import { beforeEach, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { listBackups } from '../../src/memory/backup/backup-list.ts'
import { readBackup } from '../../src/memory/backup/backup.ts'
import { restore } from '../../src/memory/backup/export-import.ts'
import { parseEntries } from '../../src/memory/entry.ts'
import { compact } from '../../src/memory/compact.ts'
import { undo } from '../../src/memory/write/history.ts'
import { removeEntry } from '../../src/memory/write/edit.ts'
import { write } from '../../src/memory/write/write.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { startScript } from '../support/child.ts'
import { openTestMemory } from '../support/memory/memory.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og kept lines'))
const memory = openEach(() => openTestMemory(temp().path))
beforeEach(() => memory().put('USER.md', '# User\n\ncounter 0 end\n'))

const startAppender = (everyMs: string, kind: 'append' | 'rename' | 'rewrite') => {
  const path = join(memory().workspace.path, 'USER.md')
  return startScript('lines/line-appender.ts', [path, 'line', everyMs, kind])
}

/** Runs `work` while a program appends lines to USER.md, and returns all lines it wrote. */
async function linesBeside(work: () => Promise<unknown>): Promise<string[]> {
  await using appender = startAppender('4', 'append')
  await appender.line()
  await work()
  appender.write('end\n')
  const count = Number(await appender.line())
  expect(count).toBeGreaterThan(20)
  return Array.from({ length: count }, (_, i) => `line${i}`)
}

/** Counts each line in the texts, and returns the lines that do not occur exactly once. */
function lostOrRepeated(lines: string[], texts: string[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  return Object.fromEntries(
    lines.map((line) => [line, counts.get(line) ?? 0] as const).filter(([, count]) => count !== 1),
  )
}

function leftovers(): string[] {
  return readdirSync(memory().workspace.path).filter((name) => /^\.(?!og$)/.test(name))
}

test('keeps every line of an appender during edits, undos and deletions', async () => {
  let counter = 0
  const edit = () =>
    write(memory(), {
      file: 'USER.md',
      search: `counter ${counter} end`,
      content: `counter ${++counter} end`,
    })
  const steps = [
    edit,
    edit,
    async () => {
      await edit()
      await undo(memory())
      counter--
    },
    async () => {
      await write(memory(), { file: 'USER.md', search: 'end\n', content: 'end\n\ngone\n\n' })
      const gone = parseEntries(memory().text('USER.md')).find(({ body }) => body === 'gone')
      await removeEntry(memory(), { file: 'USER.md', id: gone!.id })
      await undo(memory())
      await undo(memory())
    },
  ]
  const lines = await linesBeside(async () => {
    for (let i = 0; i < 200; i++) await steps[i % steps.length]!()
  })
  expect(lostOrRepeated(lines, [memory().text('USER.md')])).toEqual({})
  expect(memory().text('USER.md')).toStartWith(`# User\n\ncounter ${counter} end\n`)
  expect(leftovers()).toEqual([])
})

test('keeps every line of an appender in the file or a backup during compactions and restores', async () => {
  const lines = await linesBeside(async () => {
    for (let i = 0; i < 60; i++) {
      const content = `# User\n\nround ${i}`
      await compact(memory(), { tier: 'USER.md', content }, { tiers: ['USER.md'] })
      if (i % 5 === 4) await restore(memory(), (await listBackups(memory().workspace))[0]!)
    }
  })
  const texts = [memory().text('USER.md')]
  for (const backup of await listBackups(memory().workspace)) {
    texts.push((await readBackup(backup)).get('USER.md')!.toString())
  }
  const missing = Object.entries(lostOrRepeated(lines, texts)).filter(([, count]) => count === 0)
  expect(missing).toEqual([])
  expect(leftovers()).toEqual([])
})

test.each(['rename', 'rewrite'] as const)(
  'keeps every line of an editor that saves by %s during an edit',
  async (kind) => {
    const edit = (i: number) =>
      write(memory(), { file: 'USER.md', start_line: 1, end_line: 1, content: `# User ${i}` })
    await using editor = startAppender('asked', kind)
    expect(await editor.line()).toBe('ready')
    const lines = Array.from({ length: 150 }, (_, i) => `line${i}`)
    for (const i of lines.keys()) {
      // The saves arrive at different moments of the edits.
      editor.write(`${(i % 10) / 2}\n`)
      const [saved] = await Promise.all([editor.line(), edit(i)])
      expect(saved).toBe('written')
    }
    expect(lostOrRepeated(lines, [memory().text('USER.md')])).toEqual({})
    expect(leftovers()).toEqual([])
  },
)

test('keeps every line of an appender on a system without atomic exchange or leases', async () => {
  const lines = await linesBeside(async () => {
    const editor = startScript('lines/line-editor.ts', [temp().path, '40'], {
      env: { BUN_JSC_useJIT: '0' },
    })
    expect(await editor.exited).toBe(0)
  })
  expect(lostOrRepeated(lines, [memory().text('USER.md')])).toEqual({})
  expect(memory().text('USER.md')).toStartWith('# User 40\n')
  expect(leftovers()).toEqual([])
})
