import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { findSource, readSourcesFiles, toSource } from '../../../src/library/sources/source-list.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { writeFiles } from '../../support/repository.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-list'))

const of = (path: string) => ({ type: 'local_path', local_path: path })
const file = (entries: object) => JSON.stringify(entries)

/** Checks the file and address of the source that was found, and the problems. */
async function check(
  files: Record<string, string>,
  library: string,
  expected: { found: [string, string] | null; problems?: string[]; named?: string; cwd?: string },
) {
  writeFiles(temp().path, { 'home/.keep': '', 'project/.keep': '', ...files })
  const { found: wanted, problems = [], named = null, cwd = 'project' } = expected
  const home = join(temp().path, 'home')
  const lists = join(home, '.config/og')
  const places = {
    named: named && join(temp().path, named),
    cwd: join(temp().path, cwd),
    home,
    lists,
  }
  const listing = await readSourcesFiles(places)
  const found = findSource(listing.files, library)
  const source = found && toSource(found, home)
  const place =
    source && ('path' in source ? source.path.slice(temp().path.length + 1) : source.url)
  expect<unknown>(found && [found.file.origin, place]).toEqual(wanted)
  const said = listing.problems.map(({ message }) => message.replaceAll(temp().path, ''))
  expect(said.map((text, at) => text.slice(0, (problems[at] ?? text).length))).toEqual(problems)
}

const project = 'project/.openground/sources.json'
const user = 'home/.config/og/sources.json'

test('uses the first file that contains the name, and does not merge entries', async () => {
  const all = {
    'named.json': file({ a: of('1') }),
    [project]: file({ a: of('2'), b: of('2') }),
    [user]: file({ a: of('3'), b: of('3'), c: of('3'), fastapi: of('3') }),
  }
  await check(all, 'a', { found: ['named', '1'], named: 'named.json' })
  await check(all, 'b', { found: ['project', 'project/2'], named: 'named.json' })
  await check(all, 'c', { found: ['user', 'home/3'] })
  await check(all, 'fastapi', { found: ['user', 'home/3'] })
  await check(all, 'vite', { found: ['bundled', 'https://github.com/vitejs/vite.git'] })
  await check(all, 'nothing-of-this-name', { found: null })
  await check(all, '__proto__', { found: null })
})

test('ignores the case and separators of a name', async () => {
  const all = { [user]: file({ My_Lib: of('1'), 'my-lib': of('2') }) }
  await check(all, 'my-lib', { found: ['user', 'home/2'] })
  await check(all, 'my.LIB', { found: ['user', 'home/1'] })
  await check(all, 'Drizzle_ORM', {
    found: ['bundled', 'https://github.com/drizzle-team/drizzle-orm-docs.git'],
  })
})

test('skips and reports an unreadable file', async () => {
  await check({ [project]: '{"a": ', [user]: file({ a: of('3') }) }, 'a', {
    found: ['user', 'home/3'],
    problems: [`Cannot read sources file "/${project}": it is not valid JSON (`],
  })
  await check({ [project]: '[]', [user]: '' }, 'a', {
    found: null,
    problems: [`Cannot read sources file "/${project}": it holds no JSON object`],
  })
  await check({ [project]: '{}' }, 'a', {
    found: null,
    named: 'none.json',
    problems: ['Cannot read sources file "/none.json": no such file'],
  })
})

test('rejects an unreadable file that the user gave as an option', () => {
  const [named, home] = [join(temp().path, 'none.json'), temp().path]
  expect(readSourcesFiles({ named, cwd: home, home, lists: home, isTyped: true })).rejects.toThrow(
    'no such file',
  )
})

test("trusts the file in the home folder as the user's own", async () => {
  await check({ [user]: file({ a: of('/x') }) }, 'a', { found: ['user', ''], cwd: 'home' })
})
