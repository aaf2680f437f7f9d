import { expect, test } from 'bun:test'
import { memoryHome } from '../../../support/memory/memory-home.ts'

const { check, file, json } = memoryHome()

test('records, supersedes, filters by date, follows, ends and deletes relations', async () => {
  const relate = ['relate', 'Ann', 'works-at']
  await check(
    [...relate, 'Acme', '--since', '2025-01-01', '--confidence', '0.5'],
    'Recorded [Ann] --works at--> [Acme] (DAY) (write WRITE)\n',
  )
  await check([...relate, 'Acme'], 'Known already: - [Ann] --works at--> [Acme] (DAY)\n')
  await check(
    [...relate, 'Beta', '--supersedes'],
    'Recorded [Ann] --works at--> [Beta] (DAY) (write WRITE)\nSuperseded [Ann] --works at--> [Acme]\n',
  )
  await json(['relate', 'Beta', 'is in', 'Berlin', '--note', 'since May'])
  await check(['relations', 'ann'], '[Ann] --works at--> [Beta] (recorded DAY)\n')
  await check(
    ['relations', '--as-of', '2025-06-01'],
    '[Ann] --works at--> [Acme] (past, since DAY, until DAY, confidence 0.5)\n',
  )
  await check(
    ['relations', 'Ann', '--to', 'berlin'],
    'Berlin (2 hops): [Ann] --works at--> [Beta], [Beta] --is in--> [Berlin]\n',
  )
  expect(await json(['relations', '--object', 'Berlin'])).toMatchObject([
    { note: 'since May', is_past: false },
  ])
  await check(
    ['relate', 'Beta', '--end', '--until', '2026-01-01'],
    'Ended [Beta] --is in--> [Berlin]\n',
  )
  await check(['relate', 'Ann', '--delete'], /^Deleted .*\nDeleted .*\n$/)
  await check(['relations'], '', { code: 1 })
  await check(['relate', 'Ann', 'knows'], '', {
    code: 2,
    stderr: /PREDICATE and OBJECT are missing/,
  })
  await check(['relate', 'a', 'b', 'c', '--confidence', '2'], '', {
    code: 2,
    stderr: /from 0 to 1/,
  })
  await check(['relate', 'Cy', '--end'], '', {
    code: 2,
    stderr: 'error: There is no such relation\n',
  })
  await check(['relations', '--hops', '2'], '', { code: 2, stderr: /ENTITY is missing/ })
})

test('lists files, prints the bootstrap and compacts memory', async () => {
  await json(['write', 'The heron eats frogs.'])
  await check(['list'], /^FILE +LINES +BYTES\nMEMORY.md +\d+ +\d+\nUSER.md/)
  await check(['list', 'MEMORY.md'], /^# Memory\n/)
  await json(['write', 'x', '-f', 'daily'])
  await check(['list', '--daily'], 'daily/DAY.md\n')
  await check(['bootstrap'], /^<!-- groundmemory bootstrap start -->[^]*heron/)
  await check(['bootstrap', '--task', 'frogs'], /heron/)
  const { hash } = await json(['read', 'MEMORY.md'])
  const rest = ['compact', 'MEMORY.md', '-', '--expect', hash]
  await check(rest, 'Compacted MEMORY.md (write WRITE); before: backup BACKUP\n', {
    stdin: '# Memory\nshort\n',
  })
  await check(rest, '', { stdin: 'x', code: 2, stderr: /differs from the expected text/ })
  expect(file('MEMORY.md')).toBe('# Memory\nshort\n')
  await check(['compact', 'USER.md', 'x'], '', { code: 2, stderr: /not in the configured/ })
})

test('shows past relations on request, and the source of a relation', async () => {
  const relate = ['relate', 'Ann', 'works-at']
  await json([...relate, 'Acme', '--since', '2025-01-01', '--source', 'notes.md'])
  await check(['relations'], '[Ann] --works at--> [Acme] (since DAY, from notes.md)\n')
  await json(['relate', 'Ann', '--end', '--until', '2025-02-01'])
  await check(['relations'], '', { code: 1 })
  const [past] = await json(['relations', '--past'])
  expect(past).toMatchObject({ subject: 'Ann', is_past: true, until: '2025-02-01' })
  await check(['relations', 'Ann', '--to', 'Berlin'], '', { code: 1 })
})

test('lists the workspaces of a root folder', async () => {
  await check(['list', '--workspaces'], '')
  for (const name of ['work', 'home']) await json(['write', 'x', '-w', name])
  await check(['list', '--workspaces'], 'home\nwork\n')
})

test('prints the bootstrap text for a task, or a sentence if the memory has no relevant entry', async () => {
  const env = {
    GROUNDMEMORY_BOOTSTRAP__INJECT_LONG_TERM_MEMORY: 'false',
    GROUNDMEMORY_BOOTSTRAP__INJECT_USER_PROFILE: 'false',
    GROUNDMEMORY_BOOTSTRAP__INJECT_AGENTS: 'false',
    GROUNDMEMORY_BOOTSTRAP__INJECT_DAILY_LOGS: 'false',
    GROUNDMEMORY_BOOTSTRAP__INJECT_RELATIONS: 'false',
  }
  await json(['write', 'The heron eats frogs.'])
  await check(['bootstrap'], /^\(No memory context yet\. .*\)\n$/, { env })
  await check(['bootstrap', '--task', 'what herons eat'], /heron eats frogs[^]*[^\n]\n$/, { env })
})
