import { beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { findListedSource, offerPackage } from '../../../src/operation/add/listed-source.ts'
import { openTerminal } from '../../../src/cli/terminal.ts'
import { OgError } from '../../../src/platform/error.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { writeFiles } from '../../support/repository.ts'
import { chunks, sink } from '../../support/run-og.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-listed'))
beforeEach(() => {
  const entries = {
    good: { type: 'local_path', local_path: 'docs' },
    bad: { type: 'local_path', local_path: '/etc' },
    worse: { type: 'git_repo', repo_url: 'http://127.0.0.1:1/r.git' },
    worst: { type: 'git_repo', repo_url: '--upload-pack=touch owned' },
  }
  const file = JSON.stringify(entries)
  writeFiles(temp().path, { 'project/.openground/sources.json': file, 'home/.keep': '' })
})

type Expected = { source?: object; library?: string; error?: RegExp; said?: RegExp }

/** `typed` is the user's answer at a terminal; null means that stdin is not a terminal. */
async function check(library: string, typed: string | null, expected: Expected) {
  const isTTY = typed !== null
  const err = sink(isTTY)
  const stdin = Object.assign(chunks(typed ?? 'y\n'), { isTTY })
  const terminal = openTerminal({ stdin, stdout: sink(isTTY), stderr: err }, { NO_COLOR: '1' })
  const [cwd, home] = [join(temp().path, 'project'), join(temp().path, 'home')]
  const places = { file: null, cwd, home, lists: join(home, 'lists') }
  const found = await findListedSource(terminal, library, { ...places, reach: null }).catch(
    (error: OgError) => error,
  )
  if (expected.error) {
    const { message, hint, exitCode } = found as OgError
    expect(`${message}\n${hint}`).toMatch(expected.error)
    expect(exitCode).toBe(2)
  } else {
    const named = expected.library ?? library
    expect(found).toEqual({ library: named, source: expected.source } as typeof found)
  }
  if (expected.said) expect(err.text()).toMatch(expected.said)
}

const good = () => ({ kind: 'local_path', path: join(temp().path, 'project/docs') })
const worse = { kind: 'git_repo', url: 'http://127.0.0.1:1/r.git', docsPaths: [] }

test('uses a harmless source without asking, and reports which file lists it', async () => {
  await check('good', null, {
    source: good(),
    said: /^hint: Using sources file: .*sources.json\n$/,
  })
  await check('vite', null, {
    source: {
      kind: 'git_repo',
      url: 'https://github.com/vitejs/vite.git',
      docsPaths: ['docs'],
      languages: ['en'],
    },
    said: /^hint: Using sources file: the bundled list\n$/,
  })
  await check('of-no-list', null, { error: /^Cannot add "of-no-list": no source is named/ })
  await check('pub:http', null, {
    error:
      /^Cannot add "pub:http": og does not read packages of "pub:"\nit reads npm:, .*rubygems:, /,
  })
})

test('suggests the package of a project dependency', async () => {
  const manifest = { dependencies: { 'of-no-list': '^2.0.0', '@scope/none': '1.0.0' } }
  writeFiles(temp().path, { 'project/package.json': JSON.stringify(manifest) })
  await check('Of-No-List', null, { error: /\npackage\.json has it: og add npm:of-no-list$/ })
  await check('@scope/none', null, { error: /\npackage\.json has it: og add npm:@scope\/none$/ })
  await check('other', null, {
    error: /\nog add other --source .* for a package: og add npm:other \(/,
  })
  writeFiles(temp().path, { 'project/package.json': '{}', 'project/requirements.txt': 'httpx\n' })
  await check('other', null, { error: /og add pypi:other \(or npm:, crates:, go:\);/ })
})

test('reads no answer from stdin if it is not a terminal (W-60, W-63)', async () => {
  await check('bad', null, { error: /"\/etc" is outside the project\nif you .* og sources trust/ })
  await check('worse', null, { error: /"127.0.0.1" is on a private network\n/ })
})

test('asks again after a no, but not after a yes', async () => {
  await check('worse', 'n\n', { error: /and you said no/, said: /now and later\? \[y\/N\]/ })
  await check('worse', 'y\n', { source: worse })
  await check('worse', null, { source: worse })
  await check('bad', null, { source: { kind: 'local_path', path: '/etc' } })
})

test('rejects a source that looks like an option, even if the user agrees (W-60)', async () => {
  await check('worst', 'y\n', { error: /looks like an option/ })
})

test('asks about a misspelled name, or suggests the right one without a terminal', async () => {
  const django = {
    kind: 'git_repo',
    url: 'https://github.com/django/django.git',
    docsPaths: ['docs'],
    languages: ['en'],
  }
  await check('djano', 'y\n', {
    source: django,
    library: 'django',
    said: /^No list has "djano". Did you mean django\? \[y\/N\] /,
  })
  await check('djano', 'n\n', {
    error: /^Cannot add "djano": no source .*\ndid you mean "django"\?/,
  })
  await check('djano', null, { error: /did you mean "django"\? Else og add djano --source/ })
})

test('offers the package of a listed repository that cannot be reached', async () => {
  const error = new OgError('Cannot read git.example', { code: 'unreachable' })
  const places = { cwd: join(temp().path, 'project'), home: join(temp().path, 'home') }
  const offered = await offerPackage(error, 'heron', places)
  expect(offered).toMatchObject({ message: error.message, code: 'unreachable' })
  expect(offered.hint).toStartWith('its registry may have the package: og add npm:heron (or pypi:')
  writeFiles(places.cwd, { 'requirements.txt': 'heron==1.2.0\n' })
  expect((await offerPackage(error, 'fastapi', places)).hint).toEndWith(': og add pypi:fastapi')
  const { hint } = await offerPackage(error, 'Heron', places)
  expect(hint).toBe('its registry may have the package: og add pypi:heron')
})
