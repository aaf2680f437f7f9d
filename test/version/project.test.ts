import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { readProjectPins } from '../../src/version/project.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { writeFiles } from '../support/repository.ts'
import { openEach } from '../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-project'))

const lock = (version: string) =>
  JSON.stringify({ packages: { 'node_modules/react': { version } } })

/** Expects `file named` for each pin, seen from a folder of the home folder. */
async function check(folder: string, expected: string[], warnings: string[] = []) {
  mkdirSync(join(temp().path, folder), { recursive: true })
  const found = await readProjectPins(join(temp().path, folder), temp().path)
  expect(found.pins.map(({ file, named }) => `${file} ${named}`)).toEqual(expected)
  const said = found.warnings.map((text, at) => text.slice(0, (warnings[at] ?? text).length))
  expect(said).toEqual(warnings)
}

test('reads the files of a folder and its parents up to the repository', async () => {
  writeFiles(temp().path, {
    'package-lock.json': lock('1.0.0'),
    'app/package-lock.json': lock('2.0.0'),
    'app/.git/HEAD': '',
    'app/web/package-lock.json': lock('3.0.0'),
    'app/web/package.json': '{"dependencies": {"react": "^3"}}',
    'plain/package-lock.json': lock('4.0.0'),
    'plain/deep/.keep': '',
  })
  await check('app', ['package-lock.json 2.0.0'])
  await check('app/web', [
    'package-lock.json 3.0.0',
    'package.json ^3',
    '../package-lock.json 2.0.0',
  ])
  await check('app/none', ['../package-lock.json 2.0.0'])
  await check('plain', ['package-lock.json 4.0.0'])
  await check('plain/deep', [])
  await check('.', ['package-lock.json 1.0.0'])
})

test('warns in one line about an unreadable file, and reads the next', async () => {
  writeFiles(temp().path, {
    'app/package-lock.json': '{"packages": {\n"a": [',
    'app/package.json': '{"dependencies": {"react": "^3"}}',
    'app/Cargo.lock/.keep': '',
    'app/uv.lock': '',
    'app/pyproject.toml': 'a = = 1\n',
  })
  truncateSync(join(temp().path, 'app/uv.lock'), 40 * 2 ** 20)
  symlinkSync('nowhere', join(temp().path, 'app/go.mod'))
  await check(
    'app',
    ['package.json ^3'],
    [
      'cannot read versions from package-lock.json: ',
      'cannot read versions from uv.lock: it is 40 MB, limit is 6 MB',
      'cannot read versions from pyproject.toml: Invalid TOML',
      'cannot read versions from Cargo.lock: it is not a file',
    ],
  )
  const { warnings } = await readProjectPins(join(temp().path, 'app'), temp().path)
  for (const line of warnings) expect(line).not.toContain('\n')
})

test('prefers the yarn version that package.json requests', async () => {
  writeFiles(temp().path, {
    'app/package.json': '{"dependencies": {"react": "^18"}}',
    'app/yarn.lock': 'react@^17:\n  version "17.0.2"\n\nreact@^18:\n  version "18.3.1"\n',
  })
  await check('app', ['yarn.lock 18.3.1', 'yarn.lock 17.0.2', 'package.json ^18'])
})
