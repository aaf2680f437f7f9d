import { beforeEach, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { forgetSource, saveSource } from '../../../src/library/sources/save-source.ts'
import type { ListedSource } from '../../../src/library/sources/source-list.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { startScript } from '../../support/child.ts'
import { writeFiles } from '../../support/repository.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-save'))
beforeEach(() => {
  mkdirSync(join(temp().path, 'home'))
  mkdirSync(join(temp().path, 'project/docs'), { recursive: true })
})

const user = 'home/lists/sources.json'
const project = 'project/.openground/sources.json'
const git: ListedSource = { kind: 'git_repo', url: 'https://a.example/b.git', docsPaths: ['docs'] }
const gitEntry = { type: 'git_repo', repo_url: 'https://a.example/b.git', docs_paths: ['docs'] }

const at = (path: string) => join(temp().path, path)
const read = (path: string) =>
  existsSync(at(path)) ? JSON.parse(readFileSync(at(path), 'utf8')) : null

/** Checks which files were written, and how each problem starts. */
async function check(library: string, source: ListedSource, expected: [string[], string[]]) {
  const request = { library, source, cwd: at('project'), home: at('home'), lists: at('home/lists') }
  const { paths, problems } = await saveSource(request)
  const plain = (text: string) => text.replaceAll(`${temp().path}/`, '')
  const said = problems.map(({ message }) => plain(message))
  expect(paths.map(plain)).toEqual(expected[0])
  expect(said.map((text, i) => text.slice(0, (expected[1][i] ?? text).length))).toEqual(expected[1])
}

test('saves a source for the user, and writes nothing into the project (W-37)', async () => {
  await check('b', git, [[user], []])
  expect(read(user)).toEqual({ b: gitEntry })
  expect(statSync(at(user)).mode & 0o777).toBe(0o600)
  expect(existsSync(at('project/.openground'))).toBe(false)
  await check('b', git, [[], []])
})

test('deletes the entry of a removed library, unless a person changed it', async () => {
  await check('b', git, [[user], []])
  await check('c', git, [[user], []])
  const forget = (library: string, source = git) =>
    forgetSource(at('home/lists'), { library, sources: [source] })
  expect(await forget('b', { ...git, docsPaths: ['other'] })).toBeNull()
  expect(await forget('a')).toBeNull()
  expect(await forget('b')).toBe(at(user))
  expect(read(user)).toEqual({ c: gitEntry })
  expect(await forget('b')).toBeNull()
})

test('also saves a source in a project that has .openground', async () => {
  mkdirSync(at('project/.openground'))
  await check('b', git, [[user, project], []])
  expect(read(project)).toEqual({ b: gitEntry })
  await check('c', { kind: 'local_path', path: at('project/docs') }, [[user, project], []])
  expect(read(project).c).toEqual({ type: 'local_path', local_path: 'docs' })
  expect(read(user).c).toEqual({ type: 'local_path', local_path: at('project/docs') })
})

test('saves an archive below the project by its relative path', async () => {
  writeFiles(temp().path, { 'project/.openground/.keep': '', 'project/docs/d.zip': '' })
  const archive: ListedSource = { kind: 'archive', url: at('project/docs/d.zip'), docsPaths: [] }
  const entry = { type: 'archive', docs_paths: [] }
  await check('d', archive, [[user, project], []])
  expect(read(user).d).toEqual({ ...entry, archive: at('project/docs/d.zip') })
  expect(read(project).d).toEqual({ ...entry, archive: 'docs/d.zip' })
  const page: ListedSource = { kind: 'web_page', url: 'http://127.0.0.1/x' }
  await check('p', page, [[user], [`The source was not added to "${project}": "127.0.0.1" is on`]])
  await check('o', { ...archive, url: at('home/x.zip') }, [[user], ['The source was not added']])
})

test('does not save a private source in the project', async () => {
  mkdirSync(at('project/.openground'))
  const start = `The source was not added to "${project}": `
  const token = { ...git, url: 'https://me:token@a.example/b.git' }
  await check('a', token, [[user], [`${start}its address holds a password or token`]])
  await check('b', { ...git, url: 'https://10.0.0.1/b.git' }, [
    [user],
    [`${start}"10.0.0.1" is on`],
  ])
  await check('c', { kind: 'local_path', path: at('home') }, [[user], [start]])
  expect(read(project)).toBe(null)
})

test('keeps other entries and fields, in their order and in any script', async () => {
  writeFiles(temp().path, {
    [user]: JSON.stringify({ ü: 1, b: { ...gitEntry, docs_paths: [], languages: ['en'] }, a: 2 }),
  })
  await check('b', git, [[user], []])
  expect(Object.keys(read(user))).toEqual(['ü', 'b', 'a'])
  expect(read(user).b).toEqual({ ...gitEntry, languages: ['en'] })
  expect(readFileSync(at(user), 'utf8')).toStartWith('{\n  "ü": 1,\n')
  await check('b', { ...git, url: 'https://a.example/c.git' }, [[user], []])
  expect(read(user).b).toEqual({ ...gitEntry, repo_url: 'https://a.example/c.git' })
})

test('does not change a file that cannot be parsed (W-37)', async () => {
  const broken = '{"mine": {"type": "git_repo", // a comment\n'
  writeFiles(temp().path, { [user]: broken, [project]: '[1]' })
  await check('b', git, [
    [],
    [
      `Cannot read sources file "${user}": it is not valid JSON`,
      `Cannot read sources file "${project}": it is not a JSON object`,
    ],
  ])
  expect(readFileSync(at(user), 'utf8')).toBe(broken)
  expect(readFileSync(at(project), 'utf8')).toBe('[1]')
})

test('does not follow links in the project', async () => {
  writeFiles(temp().path, { 'home/precious.json': '{}', 'project/.openground/.keep': '' })
  symlinkSync(at('home/precious.json'), at(project))
  await check('b', git, [
    [user],
    [`The source was not added to "${project}": it is a symbolic link`],
  ])
  expect(read('home/precious.json')).toEqual({})
})

test("keeps the user's symbolic link, and the mode of its target", async () => {
  writeFiles(temp().path, { 'home/dotfiles/sources.json': '{}', 'home/lists/.keep': '' })
  chmodSync(at('home/dotfiles/sources.json'), 0o640)
  symlinkSync(at('home/dotfiles/sources.json'), at(user))
  await check('b', git, [[user], []])
  expect(read('home/dotfiles/sources.json')).toEqual({ b: gitEntry })
  expect(statSync(at('home/dotfiles/sources.json')).mode & 0o777).toBe(0o640)
})

test('returns a problem instead of throwing if the home folder cannot be written', async () => {
  writeFiles(temp().path, { 'home/lists': 'a file' })
  await check('b', git, [[], ['Cannot write sources file']])
})

test('keeps the changes of two processes, and leaves a valid file after kill -9', async () => {
  mkdirSync(at('project/.openground'))
  const start = (name: string) =>
    startScript('source-saver.ts', [at('home'), at('project'), name, '15'])
  const children = ['a', 'b'].map(start)
  expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0])
  for (const path of [user, project]) expect(Object.keys(read(path))).toHaveLength(30)
  await using killed = start('c')
  while (!existsSync(at(user)) || !('c2' in read(user))) await Bun.sleep(1)
  await killed.kill()
  for (const path of [user, project]) expect(Object.keys(read(path)).length).toBeGreaterThan(31)
  await check('last', git, [[user, project], []])
})
