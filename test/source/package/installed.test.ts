import { expect, test } from 'bun:test'
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import type { Reach } from '../../../src/platform/reach.ts'
import { findInstalled, installedVersion } from '../../../src/source/package/installed.ts'
import { parsePackage } from '../../../src/version/package-name.ts'
import { writeFiles } from '../../support/repository.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))
const folder = realpathSync(temp.path)
writeFiles(folder, {
  'project/node_modules/heron/package.json': '{"version": "1.2.0"}',
  'project/node_modules/@pond/egret/package.json': '{"version": "2.0.0"}',
  'project/node_modules/broken/package.json': '{"version": ',
  'store/ibis/package.json': '{"version": "3.0.0"}',
  'project/vendor/crane/Cargo.toml': '[package]\nname = "crane"\nversion = "0.3.1"\n',
  'project/.venv/lib/python3.12/site-packages/Heron_Bird-1.4.dist-info/METADATA': '',
  'home/.cargo/registry/src/index-1/stork-0.9.0/Cargo.toml': '',
  'home/.cargo/registry/src/index-1/stork-0.10.0/Cargo.toml': '',
  'home/.cargo/registry/src/index-1/stork-core-1.0.0/Cargo.toml': '',
  'home/go/pkg/mod/github.com/!pond/heron/v2@v2.1.0/heron.go': '',
})
mkdirSync(join(folder, 'project/src'))
symlinkSync('../../store/ibis', join(folder, 'project/node_modules/ibis'))

async function check(typed: string, expected: string | null, reach: Reach | null = null) {
  const surroundings = { env: {}, home: join(folder, 'home'), cwd: join(folder, 'project/src') }
  const found = await findInstalled(parsePackage(typed)!, { surroundings, reach })
  const at = found && [found.version, found.folder.slice(folder.length + 1), found.metadata]
  expect(at && at.filter((part) => part !== undefined).join(' ')).toBe(expected)
}

test('finds npm packages in the project or above the current folder', async () => {
  await check('npm:heron', '1.2.0 project/node_modules/heron')
  await check('npm:@pond/egret@^2', '2.0.0 project/node_modules/@pond/egret')
  await check('npm:ibis', '3.0.0 store/ibis')
  await check('npm:heron@1.3.0', null)
  await check('npm:broken', null)
  await check('npm:missing', null)
})

test('finds a distribution of Python by its plain name', () =>
  check(
    'pypi:heron.bird@1.4',
    '1.4 project/.venv/lib/python3.12/site-packages Heron_Bird-1.4.dist-info/METADATA',
  ))

test('finds the newest crate of the cache, and a vendored one', async () => {
  await check('crates:stork', '0.10.0 home/.cargo/registry/src/index-1/stork-0.10.0')
  await check('crates:stork@0.9', '0.9.0 home/.cargo/registry/src/index-1/stork-0.9.0')
  await check('crates:crane', '0.3.1 project/vendor/crane')
})

test('finds a Go module by its escaped path', () =>
  check('go:github.com/Pond/heron/v2', 'v2.1.0 home/go/pkg/mod/github.com/!pond/heron/v2@v2.1.0'))

test('lets an agent read only packages in its folder', async () => {
  const reach = { hosts: [], folder: join(folder, 'project') }
  await check('npm:heron', '1.2.0 project/node_modules/heron', reach)
  await check('npm:ibis', null, reach)
  await check('crates:stork', null, reach)
  await check('npm:heron', null, { hosts: [], folder: null })
})

test('reads the version that a folder has now', async () => {
  expect(await installedVersion('npm:heron', join(folder, 'store/ibis'))).toBe('3.0.0')
  expect(await installedVersion('crates:crane', join(folder, 'project/vendor/crane'))).toBe('0.3.1')
  expect(await installedVersion('go:x.dev/heron', join(folder, 'store/ibis'))).toBeNull()
})
