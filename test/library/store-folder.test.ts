import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { checkStoreFolder } from '../../src/library/store-folder.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { writeFiles } from '../support/repository.ts'

test('rejects a missing folder and a folder with other files, and accepts an empty one', async () => {
  await using temp = await createTempFolder('og-store-folder')
  const at = (name: string) => join(temp.path, name)
  writeFiles(temp.path, { 'photos/cat.txt': 'x', 'store/registry.json': '{}' })
  const look = (dbPath: string, isStoreNamed = true) => checkStoreFolder({ dbPath, isStoreNamed })
  const check = (name: string, why: string) =>
    expect(look(at(name))).rejects.toThrow(`Cannot read store ${at(name)}: ${why}`)
  await check('none', 'there is no such folder')
  await check('photos', 'it holds no index of og')
  await check('photos/cat.txt', 'not a directory')
  await look(at('store'))
  await look(at('none'), false)
  await using empty = await createTempFolder('og-store-empty')
  await look(empty.path)
})
