import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { switchToWal, openDerivedDatabase } from '../../src/platform/sqlite.ts'

const prepare = (database: Database) => {
  switchToWal(database)
  const { user_version: version } = database
    .query<{ user_version: number }, []>('PRAGMA user_version')
    .get()!
  if (version > 1) return false
  database.run('PRAGMA user_version = 1')
  database.run('CREATE TABLE IF NOT EXISTS a (b)')
  return true
}

/** Writes one row before `change` and expects this number of rows after it. */
async function check(change: (path: string) => void, expected: number): Promise<void> {
  await using temp = await createTempFolder('og-sqlite')
  const path = join(temp.path, 'a.db')
  const first = openDerivedDatabase(path, prepare)
  first.run('INSERT INTO a VALUES (1)')
  first.close()
  change(path)
  using second = openDerivedDatabase(path, prepare)
  expect(second.query('SELECT * FROM a').all().length).toBe(expected)
}

test('keeps an intact database', () => check(() => {}, 1))
test('replaces a file that is not a database', () =>
  check(
    (path) => writeFileSync(path, 'not a database, only a text that is long enough'.repeat(40)),
    0,
  ))
test('replaces a database that has a different schema', () =>
  check((path) => {
    using database = new Database(path)
    database.run('PRAGMA user_version = 9')
  }, 0))
test('throws other errors', async () => {
  await using temp = await createTempFolder('og-sqlite')
  expect(() => openDerivedDatabase(join(temp.path, 'no', 'a.db'), prepare)).toThrow(
    'unable to open',
  )
})
