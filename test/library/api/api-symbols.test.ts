import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { listApi, noApiError } from '../../../src/library/api/api-symbols.ts'
import { writeFiles } from '../../support/repository.ts'
import { openTestStore } from '../../support/test-store.ts'

// test/e2e/sources/api.test.ts tests the lists and comparisons of an indexed library.
test('explains how a library gets an API reference', () => {
  const { message, hint } = noApiError('lamp', '1.0')
  expect([message, hint]).toEqual([
    'Library "lamp" version "1.0" has no API reference',
    'og add --api with reads the source files of packages of Python, npm, Rust, Java and Go',
  ])
})

test('says why the index lacks a name that the package exports', async () => {
  await using temp = await createTempFolder('og-api-names')
  using store = openTestStore(join(temp.path, 'store'))
  writeFiles(join(temp.path, 'lamp'), {
    'pyproject.toml': '',
    'lamp/__init__.py': '__all__ = ["on", "Wick"]\nfrom wicks import Wick\ndef on(): "Lights."\n',
  })
  await store.add('lamp', join(temp.path, 'lamp'))
  const listing = listApi(store.entries, { library: 'lamp', version: null, prefix: 'Wick' })
  await expect(listing).rejects.toMatchObject({
    message:
      'lamp 1 exports Wick, but the index lacks it: ' +
      'it is declared in pypi:wicks, which was not read',
    hint: 'To add it: og add pypi:wicks',
  })
})

test('lists an alias that ends in another name', async () => {
  await using temp = await createTempFolder('og-api-alias')
  using store = openTestStore(join(temp.path, 'store'))
  writeFiles(join(temp.path, 'lamp'), {
    'package.json': '{"name":"lamp","types":"a.d.ts","exports":{".":"./a.js","./all":"./b.js"}}',
    'a.d.ts':
      'export declare class Lamp {}\nexport declare const size: number\n' +
      'export { Lamp as Torch, size as width }\n',
    'b.d.ts': 'export * from "./a.js"\n',
  })
  await store.add('lamp', join(temp.path, 'lamp'))
  const { symbols } = await listApi(store.entries, { library: 'lamp', version: null, prefix: '' })
  expect(symbols.map(({ qualifiedName, signature }) => `${qualifiedName}: ${signature}`)).toEqual([
    'lamp: ',
    'lamp.Lamp: class Lamp',
    'lamp.Torch: class Lamp',
    'lamp.size: const size: number',
    'lamp.width: const size: number',
    'lamp/all.Torch: class Lamp',
    'lamp/all.width: const size: number',
  ])
})
