import { expect, test } from 'bun:test'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { chooseInstalled, notInstalled } from '../../../src/source/choice/installed-choice.ts'
import { chooseForPackage } from '../../../src/source/choice/package-choice.ts'
import { parsePackage } from '../../../src/version/package-name.ts'
import { writeFiles } from '../../support/repository.ts'

test('chooses the documentation folder of an installed package', async () => {
  await using temp = await createTempFolder('og-test')
  const cwd = realpathSync(temp.path)
  writeFiles(join(cwd, 'node_modules/heron'), {
    'package.json': '{"version": "1.2.0"}',
    'README.md': '# Heron\n',
    'docs/wade.md': '# Wade\n',
    'a.js': '',
    'b.js': '',
  })
  const surroundings = { env: {}, home: '/nowhere', cwd }
  const heron = parsePackage('npm:heron@1.2.0')!
  const path = join(cwd, 'node_modules/heron')
  expect(await chooseInstalled(heron, { surroundings })).toEqual({
    source: { kind: 'local_path', path, docsPaths: ['docs', 'README.md'], package: 'npm:heron' },
    how: `${path}: docs (1 page) and README.md`,
    version: '1.2.0',
    release: '1.2.0',
    rejected: [],
  })
  expect(await chooseInstalled(parsePackage('npm:egret')!, { surroundings })).toBeNull()
  const options = { version: '2.0.0', surroundings, onlyInstalled: true }
  const choosing = chooseForPackage({ kind: 'package', url: 'npm:heron' }, options)
  await expect(choosing).rejects.toThrow(notInstalled({ ...heron, version: '2.0.0' }).message)
})
