import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { memoryHome, withoutModel } from '../../../support/memory/memory-home.ts'

const { check, file, folder, home, json } = memoryHome()

test('lists writes, and undoes the newest or a chosen one', async () => {
  await check(['history'], '', { stderr: 'Nothing was written yet.\n' })
  const { write_id } = await json(['write', 'first'])
  await json(['write', 'second'])
  await check(['undo'], 'Undid append WRITE in MEMORY.md (write WRITE).\n')
  expect(file('MEMORY.md')).not.toContain('second')
  await check(['undo', write_id], 'Undid append WRITE in MEMORY.md (write WRITE).\n')
  await check(['undo', write_id], '', { code: 2, stderr: /is already undone/ })
  await check(['history', '-n', '1'], /^WRITE +UTC +WHAT +FILE +TEXT\n.* undo of .* first\n$/)
  expect(await json(['history', 'USER.md'])).toEqual([])
})

test('prints an audit as a report or a patch, and applies accepted edits', async () => {
  await check(['audit'], '', { stderr: '0 findings.\n' })
  mkdirSync(folder(), { recursive: true })
  const twice =
    '\n## 2026-01-01 10:00\n\nThe heron eats frogs.\n\n## 2026-01-02 10:00\n\nThe heron eats frogs.\n'
  writeFileSync(join(folder(), 'MEMORY.md'), `# Memory\n${twice}`)
  await check(['audit'], /duplicate: says the same as lines 3-5 \[fixable\]\n/, {
    code: 1,
    stderr: /--patch prints the edits/,
  })
  const patch = (await home.run(['memory', 'audit', '--patch'], { env: withoutModel })).stdout
  expect(patch).toStartWith('--- a/MEMORY.md\n+++ b/MEMORY.md\n@@ -6,4 +5,0 @@\n-\n-## 2026-01-02')
  writeFileSync(join(home.path, 'a.patch'), patch)
  await check(['audit', '--accept', join(home.path, 'a.patch')], 'Made 1 edit in MEMORY.md.\n')
  expect(file('MEMORY.md').match(/heron/g)).toHaveLength(1)
  await check(['audit', '--accept', '-'], '', {
    stdin: patch,
    code: 2,
    stderr: /differs from the expected text/,
  })
  await check(['undo'], /^Undid audit/)
  await check(['audit', '--fix'], '', { code: 2, stderr: /pass --yes/ })
  await check(['audit', '--fix', '--yes'], 'Made 1 edit in MEMORY.md.\n')
  await check(['audit', '--fix', '--patch'], '', { code: 2, stderr: /give one of them/ })
  await check(['audit', '--accept', '-'], '', {
    stdin: 'x\n',
    code: 2,
    stderr: /line 1 does not belong to a hunk/,
  })
})

test('doctor checks healthy, missing and damaged memories, and repairs damage', async () => {
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
    code: 1,
    env: { GROUNDMEMORY_SEARCH__TOP_K: 'many' },
  })
  await check(['doctor', '-w', '../x'], /FAIL/, { code: 1 })
})

test('history marks undone writes and the writes that undid them', async () => {
  await json(['write', 'first'])
  await json(['undo'])
  const [undo, write] = await json(['history'])
  expect([undo.undoes, write.undone]).toEqual([write.id, true])
  await check(
    ['history'],
    new RegExp(`^WRITE .*\\n.* undo of ${write.id} .*\\n.* append \\(undone\\) `),
  )
})

test('sync warns if entries cannot be embedded', async () => {
  await json(['write', 'The heron eats frogs.'])
  const env = {
    GROUNDMEMORY_EMBEDDING__PROVIDER: 'openai',
    OPENAI_API_KEY: 'k',
    GROUNDMEMORY_EMBEDDING__BASE_URL: 'http://127.0.0.1:1/v1',
  }
  // sync completes the index although embeddings fail.
  await check(['sync'], /indexed: {2}4/, { env, stderr: /warning: not all entries are embedded: / })
})

test('doctor finds an index that differs from the files, and --repair rebuilds it', async () => {
  await json(['write', 'The heron eats frogs.'])
  // Files get an old time, because recently changed files are always reread.
  for (const name of readdirSync(folder(), { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.md')) utimesSync(join(folder(), name), 1_700_000_000, 1_700_000_000)
  }
  await check(['sync'], /./)
  using database = new Database(join(folder(), '.index', 'og.db'))
  database.run("UPDATE chunks SET key = 'another text'")
  await check(['doctor'], /^FAIL {2}index/m, { code: 1 })
  await check(['doctor', '--repair'], /^ok {4}index/m)
  expect((await json(['search', 'frogs'])).count).toBe(1)
})

test('names the missing patch file in the error', async () => {
  const path = join(home.path, 'none.patch')
  const stderr = /^error: Cannot read \/.*\/none\.patch: /
  await check(['audit', '--accept', path], '', { code: 2, stderr })
})
