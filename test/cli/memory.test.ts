import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHome, type RunOptions, type TempHome } from '../support/run-og.ts'

let home: TempHome
beforeEach(() => {
  home = openHome()
})
afterEach(() => home[Symbol.dispose]())

const none = { GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }
type Options = RunOptions & { code?: number; stderr?: string | RegExp }

/** What is printed, ids and times as words. */
async function check(typed: string[], stdout: string | RegExp, options: Options = {}) {
  const env = { ...none, ...options.env }
  const ran = await home.run(['memory', ...typed], { ...options, env })
  const { code = 0, stderr = '' } = options
  const said = withoutNews(ran.stderr)
  if (typeof stderr === 'string') expect(literal(said)).toBe(stderr)
  else expect(said).toMatch(stderr)
  if (typeof stdout === 'string') expect(literal(ran.stdout)).toBe(stdout)
  else expect(ran.stdout).toMatch(stdout)
  expect(ran.code).toBe(code)
}

/** Whichever command is the first says that it made the memory. */
const withoutNews = (text: string) => text.replace(/^New memory: .*\n/, '')

function literal(text: string): string {
  return text
    .replaceAll(home.path, 'HOME')
    .replace(/\b[a-z0-9]{8}-[0-9a-f]{6}\b/g, 'WRITE')
    .replace(/\b\d{4}-\d\d-\d\d_\d{6}(-\d)?/g, 'BACKUP')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'WHEN')
    .replace(/\d{4}-\d\d-\d\d/g, 'DAY')
    .replace(/\bentry [0-9a-f]{12}\b/g, 'entry ID')
    .replace(/score=[\d.]+/g, 'score=N')
}

async function json(typed: string[], code = 0) {
  const ran = await home.run(['memory', ...typed, '--json'], { env: none })
  expect(withoutNews(ran.stderr)).toBe('')
  expect(ran.code).toBe(code)
  return JSON.parse(ran.stdout)
}

const folder = (name = 'default') => join(home.path, '.groundmemory', name)
const file = (name: string) => readFileSync(join(folder(), name), 'utf8')

test('write, search, read: a hit is opened by the lines it shows', async () => {
  await check(['write', 'Deploys', 'go out.', '-t', 'ops'], 'Added entry ID to MEMORY.md (write WRITE).\n')
  await check(['write', 'Deploys go out.'], 'MEMORY.md holds this entry already.\n')
  await check(['write', '-', '-f', 'daily'], /^Added entry .* to daily\/.*\.md/, { stdin: 'Two\nlines.\n' })
  const found = '1. MEMORY.md:6-9 (score=N, entry ID)\n   ## WHEN\n\n   #ops\n   Deploys go out.\n'
  await check(['search', 'deploy'], `Found 1 entry.\n${found}`)
  await check(['read', 'MEMORY.md', '--lines', '8-9'], '#ops\nDeploys go out.\n')
  await check(['read', 'MEMORY.md', '--lines', '90'], '', {
    code: 1, stderr: 'error: No lines 90: MEMORY.md has 9\n',
  })
  await check(['read', 'nowhere.md'], '', { code: 2, stderr: 'error: File not found: nowhere.md\n' })
})

test('a search is narrowed by tier, file, tag and date, and goes on by --offset', async () => {
  for (const words of [['heron a', '-t', 'red'], ['heron b', '-t', 'blue'], ['heron c', '-f', 'daily']]) {
    await json(['write', ...words])
  }
  const count = async (...words: string[]) => (await json(['search', 'heron', ...words])).count
  expect(await count()).toBe(3)
  expect(await count('--tier', 'daily')).toBe(1)
  expect(await count('--tier', 'long_term')).toBe(2)
  expect(await count('-f', 'MEMORY.md', '--any-tag', 'red', '--any-tag', 'green')).toBe(1)
  expect(await count('-t', 'red', '--since', '2026-01-01', '--until', '2199-01-01')).toBe(1)
  expect((await json(['search', 'heron', '--since', '2199-01-01'], 1)).count).toBe(0)
  const first = await json(['search', 'heron', '-k', '2'])
  expect(first.next_offset).toBe(2)
  expect(await count('-k', '2', '--offset', '2')).toBe(1)
  expect(await count('--max-tokens', '5')).toBe(1)
  await check(['search', 'heron', '--since', 'May'], '', { code: 2, stderr: /'since' has to be a date/ })
  await check(['search', 'heron', '--tier', 'x'], '', { code: 2, stderr: /one of long-term, user/ })
  await check(['search', 'heron', '--tier', 'user', '-f', 'x'], '', { code: 2, stderr: /name one/ })
  await check(['search', 'heron', '--mode', 'x'], '', { code: 2, stderr: /one of hybrid, full-text/ })
  await check(['search', 'a', '-f', 'x.md'], '', { code: 2, stderr: /Cannot search in 'x.md'/ })
  await check(['search', 'elephant'], 'Found 0 entries.\n', { code: 1 })
})

test('corrections, edits, deletion by lines, and what they refuse', async () => {
  const { entry_id } = await json(['write', 'Deploys go out on Tuesdays.'])
  await json(['write', 'Deploys go out on Fridays.', '--corrects', entry_id])
  const { results } = await json(['search', 'deploys Tuesdays'])
  expect(results[0].text).toContain('Fridays')
  await json(['write', 'I am Ann.', '-f', 'USER.md'])
  await check(['write', 'Bo', '-f', 'USER.md', '--search', 'Ann'], 'Replaced text in USER.md (write WRITE).\n')
  const n = file('USER.md').split('\n').length - 1
  const lines = ['-f', 'USER.md', '--lines', `${n}`]
  await check(['write', 'x', ...lines, '--expect', 'I am Ann.'], '', { code: 2, stderr: /not what was exp/ })
  await check(['write', ...lines], '', { code: 2, stderr: /'content' is required/ })
  await check(['write', '', ...lines], `Deleted lines ${n}-${n} of USER.md (write WRITE).\n`)
  await check(['write', 'x', '--lines', '3-'], '', { code: 2, stderr: /name both ends/ })
  await check(['write', 'x', '--lines', '3'], '', { code: 2, stderr: /append-only/ })
  await check(['write', ''], '', { code: 2, stderr: /'content' cannot be empty/ })
})

test('relations: recorded, superseded, asked as of a day and over hops, ended, deleted', async () => {
  const relate = ['relate', 'Ann', 'works-at']
  await check([...relate, 'Acme', '--since', '2025-01-01', '--confidence', '0.5'],
    'Recorded [Ann] --works at--> [Acme] (DAY) (write WRITE)\n')
  await check([...relate, 'Acme'], 'Known already: - [Ann] --works at--> [Acme] (DAY)\n')
  await check([...relate, 'Beta', '--supersedes'],
    'Recorded [Ann] --works at--> [Beta] (DAY) (write WRITE)\nSuperseded [Ann] --works at--> [Acme]\n')
  await json(['relate', 'Beta', 'is in', 'Berlin', '--note', 'since May'])
  await check(['relations', 'ann'], '[Ann] --works at--> [Beta] (recorded DAY)\n')
  await check(['relations', '--as-of', '2025-06-01'],
    '[Ann] --works at--> [Acme] (past, since DAY, until DAY, confidence 0.5)\n')
  await check(['relations', 'Ann', '--to', 'berlin'],
    'Berlin (2 hops): [Ann] --works at--> [Beta], [Beta] --is in--> [Berlin]\n')
  expect(await json(['relations', '--object', 'Berlin'])).toMatchObject([{ note: 'since May', past: false }])
  await check(['relate', 'Beta', '--end', '--until', '2026-01-01'], 'Ended [Beta] --is in--> [Berlin]\n')
  await check(['relate', 'Ann', '--delete'], /^Deleted .*\nDeleted .*\n$/)
  await check(['relations'], '', { code: 1 })
  await check(['relate', 'Ann', 'knows'], '', { code: 2, stderr: /PREDICATE and OBJECT are missing/ })
  await check(['relate', 'a', 'b', 'c', '--confidence', '2'], '', { code: 2, stderr: /from 0 to 1/ })
  await check(['relate', 'Cy', '--end'], '', { code: 2, stderr: 'error: There is no such relation\n' })
  await check(['relations', '--hops', '2'], '', { code: 2, stderr: /ENTITY is missing/ })
})

test('sync, backup, list-backups and restore print upstream\'s lines', async () => {
  await check(['list-backups'], 'No backups found for workspace: HOME/.groundmemory/default\n')
  await check(['restore', '-1'], '', { code: 1, stderr: /^error: No backups found for workspace: / })
  await json(['write', 'before'])
  await check(['sync'],
    'Sync complete for workspace \'default\':\n  indexed:  4\n  skipped:  0\n  deleted:  0\n')
  await check(['backup'],
    'Backup created: BACKUP\n  → HOME/.groundmemory/default/backups/BACKUP.zip\n')
  await json(['write', 'after'])
  await json(['backup'])
  await check(['list-backups'], 'Backups for workspace \'default\':\n  -1  BACKUP\n  -2  BACKUP\n')
  await check(['restore', '-2'], '', { code: 2, stderr: /hint: pass --yes/ })
  const asked = 'Restoring backup: BACKUP\n  → workspace: HOME/.groundmemory/default\n\n'
  const tty = { tty: true, env: { NO_COLOR: '1' } }
  await check(['restore', '-2'], `${asked}Aborted.\n`, { ...tty, stdin: 'n\n', stderr: 'Proceed? [y/N] ' })
  expect(file('MEMORY.md')).toContain('after')
  await check(['restore', '-2', '--yes'], `${asked}\nRestored successfully from 'BACKUP'.\n` +
    'If an MCP server is running against this workspace, restart it.\n',
  { stderr: 'What was there before is backup BACKUP.\n' })
  expect(file('MEMORY.md')).not.toContain('after')
  await check(['restore', '2'], '', { code: 1, stderr: /^error: Ambiguous spec '2' matches 2 backups\. Spec/ })
  await check(['restore', '-0'], '', { code: 1, stderr: /^error: No backup found matching '-0'\./ })
  await check(['restore', '-99', '-y'], '', { code: 1, stderr: /No backup found matching '-99'/ })
})

test('history and undo, of the newest and of a named write', async () => {
  await check(['history'], '', { stderr: 'Nothing was written yet.\n' })
  const { write_id } = await json(['write', 'first'])
  await json(['write', 'second'])
  await check(['undo'], 'Undid append WRITE in MEMORY.md (write WRITE).\n')
  expect(file('MEMORY.md')).not.toContain('second')
  await check(['undo', write_id], 'Undid append WRITE in MEMORY.md (write WRITE).\n')
  await check(['undo', write_id], '', { code: 2, stderr: /is undone already/ })
  await check(['history', '-n', '1'], /^WRITE +UTC +WHAT +FILE +TEXT\n.* undo of .* first\n$/)
  expect(await json(['history', 'USER.md'])).toEqual([])
})

test('an audit is a report, or a patch of which what is accepted is done', async () => {
  await check(['audit'], '', { stderr: '0 findings.\n' })
  const twice = '\n## 2026-01-01 10:00\n\nThe heron eats frogs.\n\n## 2026-01-02 10:00\n\nThe heron eats frogs.\n'
  writeFileSync(join(folder(), 'MEMORY.md'), `# Memory\n${twice}`)
  await check(['audit'], /duplicate: says the same as lines 3-5 \[can be mended\]\n/, {
    code: 1, stderr: /--patch prints the remedies/,
  })
  const patch = (await home.run(['memory', 'audit', '--patch'], { env: none })).stdout
  expect(patch).toStartWith('--- a/MEMORY.md\n+++ b/MEMORY.md\n@@ -6,4 +5,0 @@\n-\n-## 2026-01-02')
  writeFileSync(join(home.path, 'a.patch'), patch)
  await check(['audit', '--accept', join(home.path, 'a.patch')], 'Made 1 edit in MEMORY.md.\n')
  expect(file('MEMORY.md').match(/heron/g)).toHaveLength(1)
  await check(['audit', '--accept', '-'], '', { stdin: patch, code: 2, stderr: /not what was expected/ })
  await check(['undo'], /^Undid audit/)
  await check(['audit', '--fix'], '', { code: 2, stderr: /pass --yes/ })
  await check(['audit', '--fix', '--yes'], 'Made 1 edit in MEMORY.md.\n')
  await check(['audit', '--fix', '--patch'], '', { code: 2, stderr: /name one/ })
  await check(['audit', '--accept', '-'], '', { stdin: 'x\n', code: 2, stderr: /line 1 is of no hunk/ })
})

test('export and import carry a workspace and its backups; what is there is kept', async () => {
  const zip = join(home.path, 'm.zip')
  await json(['write', 'carried'])
  await json(['backup'])
  await json(['write', 'later'])
  await check(['export', zip], 'Exported 5 files to HOME/m.zip\n')
  await check(['export', zip], '', { code: 2, stderr: /it exists\nhint: --force/ })
  await check(['export', zip, '--force', '--backup', '2'], 'Exported 5 files to HOME/m.zip\n')
  await check(['import', zip, '-w', 'two'], 'Imported 5 files into HOME/.groundmemory/two\n')
  const { results } = await json(['search', 'carried later', '-w', 'two'])
  expect(results).toHaveLength(1)
  await check(['import', folder(), '-w', 'two'], '', { code: 2, stderr: /it is not empty\nhint: / })
  await check(['import', folder(), '-w', 'two', '--replace'], /^Imported 5 files/, {
    stderr: 'What was there before is backup BACKUP.\n',
  })
  expect((await json(['search', 'later', '-w', 'two'])).count).toBe(1)
  expect(await json(['list', '--workspaces'])).toMatchObject({ workspaces: ['default', 'two'] })
  await check(['import', '/nowhere', '-w', 'x'], '', { code: 2, stderr: /Cannot read \/nowhere: ENOENT/ })
})

test('list, bootstrap, compact', async () => {
  await json(['write', 'The heron eats frogs.'])
  await check(['list'], /^FILE +LINES +BYTES\nMEMORY.md +\d+ +\d+\nUSER.md/)
  await check(['list', 'MEMORY.md'], /^# Memory\n/)
  await json(['write', 'x', '-f', 'daily'])
  await check(['list', '--daily'], 'daily/DAY.md\n')
  await check(['bootstrap'], /^<!-- groundmemory bootstrap start -->[^]*heron/)
  await check(['bootstrap', '--task', 'frogs'], /heron/)
  const { hash } = await json(['read', 'MEMORY.md'])
  const rest = ['compact', 'MEMORY.md', '-', '--expect', hash]
  await check(rest, 'Compacted MEMORY.md (write WRITE); before: backup BACKUP\n', { stdin: '# Memory\nshort\n' })
  await check(rest, '', { stdin: 'x', code: 2, stderr: /not what was expected/ })
  expect(file('MEMORY.md')).toBe('# Memory\nshort\n')
  await check(['compact', 'USER.md', 'x'], '', { code: 2, stderr: /not in the configured/ })
})

test('doctor: a memory that is well, one that is not there, one with faults, and repair', async () => {
  await check(['doctor'], /^FAIL {2}settings {2}there is no memory at /, { code: 1 })
  expect(existsSync(folder())).toBe(false)
  await json(['write', 'The heron eats frogs.'])
  const well = /^ok {4}settings [^]*\nok {4}index +agrees with 4 files, 1 piece[^]*\nok {4}backups/
  await check(['doctor'], well)
  writeFileSync(join(folder(), 'RELATIONS.md'), '- [a] --b-c--> [d]\n')
  mkdirSync(join(folder(), 'daily'))
  writeFileSync(join(folder(), 'daily', '2026-01-01.md'), new Uint8Array([0xff, 0xfe, 0x41]))
  const ill = /FAIL {2}files +Cannot read daily\/2026-01-01.md: it is not [^]*FAIL {2}rel.* 1\n/
  await check(['doctor'], ill, { code: 1 })
  writeFileSync(join(folder(), 'daily', '2026-01-01.md'), 'text\n')
  writeFileSync(join(folder(), 'RELATIONS.md'), '')
  writeFileSync(join(folder(), '.index', 'og.db'), 'no database')
  await check(['doctor', '--repair'], /^(ok .*\n| .*\n)*$/)
  await check(['doctor'], /^FAIL {2}settings .*GROUNDMEMORY_SEARCH__TOP_K/, {
    code: 1, env: { GROUNDMEMORY_SEARCH__TOP_K: 'many' },
  })
  await check(['doctor', '-w', '../x'], /FAIL/, { code: 1 })
})

test('a memory that was not there is announced, once', async () => {
  const stderr = async (...typed: string[]) =>
    literal((await home.run(['memory', ...typed], { env: none })).stderr)
  expect(await stderr('search', 'x', '-w', 'typo')).toStartWith('error: There is no workspace "typo"')
  expect(await stderr('write', 'x', '-w', 'typo')).toBe('New memory: HOME/.groundmemory/typo\n')
  expect(await stderr('search', 'x', '-w', 'typo')).toBe('')
  expect(await stderr('list', '-w', '../typo')).toMatch(/^error: Cannot use workspace name/)
})

test('--root, --workspace and --env-file say which memory is meant', async () => {
  const env = join(home.path, 'my.env')
  writeFileSync(env, 'GROUNDMEMORY_WORKSPACE=work\n')
  const root = join(home.path, 'notes')
  await check(['write', 'x', '--root', root, '--env-file', env], /^Added/)
  expect(existsSync(join(root, 'work', 'MEMORY.md'))).toBe(true)
  await check(['write', 'x', '--root', root, '-w', '../y'], '', { code: 2, stderr: /Cannot use workspace/ })
  await check(['write', 'x', '--env-file', '/nowhere'], '', { code: 2, stderr: /there is no such file/ })
})
