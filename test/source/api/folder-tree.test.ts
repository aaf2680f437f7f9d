import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { folderTree } from '../../../src/source/api/api-events.ts'
import { writeFiles } from '../../support/repository.ts'

test('reads the files of the folder, except huge files and links that leave it', async () => {
  await using temp = await createTempFolder('og-test')
  const real = join(temp.path, 'lamp')
  mkdirSync(real)
  writeFiles(real, { 'a.py': 'a = 1\n', 'huge.py': '', '../b.py': 'b = 1\n' })
  truncateSync(join(real, 'huge.py'), 2 ** 30)
  symlinkSync('a.py', join(real, 'inside.py'))
  symlinkSync('../b.py', join(real, 'outside.py'))
  const tree = folderTree([], { real, addressOf: (path) => path })
  const read = async (path: string) => (await tree.read(path))?.toString() ?? null
  expect(await read('a.py')).toBe('a = 1\n')
  expect(await read('inside.py')).toBe('a = 1\n')
  expect(await read('outside.py')).toBeNull()
  expect(await read('huge.py')).toBeNull()
  expect(await read('missing.py')).toBeNull()
})
