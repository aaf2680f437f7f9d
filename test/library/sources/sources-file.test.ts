import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  isSameFolder,
  readSourcesFile,
  projectSources,
  userSources,
} from '../../../src/library/sources/sources-file.ts'
import { OgError } from '../../../src/platform/error.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'

async function check(write: (path: string) => void, expected: string[] | string | null) {
  await using temp = await createTempFolder('og-file')
  const path = join(temp.path, 'sources.json')
  write(path)
  const read = await readSourcesFile(path)
  const said =
    read instanceof OgError ? read.message.replace(path, 'FILE') : read && [...read.keys()]
  if (typeof expected === 'string')
    expect(said).toStartWith(`Cannot read sources file "FILE": ${expected}`)
  else expect(said).toEqual(expected)
}

test('reads a file with a byte order mark, and an empty file', async () => {
  await check((path) => writeFileSync(path, '\uFEFF{"a": {}, "ü": 1}'), ['a', 'ü'])
  await check((path) => writeFileSync(path, ' \n'), [])
  await check(() => {}, null)
})

test('reports an invalid file in one line', async () => {
  await check((path) => writeFileSync(path, '{"a": {}'), 'it is not valid JSON (')
  await check((path) => writeFileSync(path, '"a"'), 'it is not a JSON object')
  await check((path) => mkdirSync(path), 'it is not a file')
  await check((path) => symlinkSync(`${path}.gone`, path), 'it is a symbolic link to nothing')
  await check((path) => {
    writeFileSync(path, '{}')
    truncateSync(path, 5 * 2 ** 20)
  }, 'it is 5 MB, limit is 4 MB')
})

test('recognises a folder under any of its paths', async () => {
  await using temp = await createTempFolder('og-file')
  symlinkSync(temp.path, join(temp.path, 'link'))
  expect(await isSameFolder(join(temp.path, 'link'), temp.path)).toBe(true)
  expect(await isSameFolder(join(temp.path, 'none'), temp.path)).toBe(false)
  expect(projectSources(temp.path)).toBe(join(temp.path, '.openground/sources.json'))
  expect(userSources(temp.path)).toBe(join(temp.path, 'sources.json'))
})
