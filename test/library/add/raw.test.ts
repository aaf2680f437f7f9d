import { expect, test } from 'bun:test'
import { join, relative } from 'node:path'
import { findRaw, listRaw, rawFolder } from '../../../src/library/add/raw.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { writeFiles } from '../../support/repository.ts'

test('stores raw pages in the same folders as upstream, and never elsewhere (W-14, W-61)', () => {
  const check = (library: string, version: string, expected: string) =>
    expect(relative('/r', rawFolder('/r', library, version))).toBe(expected)
  check('React', 'v1.0', 'react/v1.0')
  check('@Scope/x', 'latest', '@scope/x/latest')
  check('x', 'release/1.0', 'x/release%2F1.0')
  check('x', '..', 'x/%2E.')
  check('x', '/etc', 'x/%2Fetc')
  check('x', '..\\..', 'x/%2E.%5C..')
  for (const library of ['..', '../x', '/etc', 'a/b', '']) {
    expect(() => rawFolder('/r', library, '1')).toThrow('Cannot use library name')
  }
})

test('finds raw pages in nested folders', async () => {
  await using temp = await createTempFolder('og raw')
  const page = (library: string) =>
    JSON.stringify({ url: 'u:a', content: 'a', library_name: library })
  writeFiles(temp.path, {
    'react/v10/a.json': page('React'),
    'react/v9/a.json': page('React'),
    'react/release/1.0/a.json': page('React'),
    'react/release%2F2.0/a.json': page('React'),
    '@scope/x/latest/a.json': page('@scope/x'),
    'other/latest/a.json': '{',
    'odd/latest/a.json': page('something else'),
    'empty/latest/note.txt': 'x',
    'a.json': page('top'),
    '.og/x/a.json': page('hidden'),
  })
  const found = await listRaw(temp.path)
  expect(found.map(({ library, version }) => `${library} ${version}`)).toEqual([
    '@scope/x latest',
    'odd latest',
    'other latest',
    'React release/1.0',
    'React release/2.0',
    'React v9',
    'React v10',
  ])
  const versions = await findRaw(temp.path, { library: 'REACT', version: 'release/1.0' })
  expect(versions.map(({ path }) => path)).toEqual([join(temp.path, 'react/release/1.0')])
  expect(await findRaw(temp.path, { library: 'react', version: 'v11' })).toEqual([])
  expect(await listRaw(join(temp.path, 'nowhere'))).toEqual([])
})
