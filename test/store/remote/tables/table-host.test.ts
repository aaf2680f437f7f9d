import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { readStoreHealth } from '../../../../src/store/check.ts'
import { readEntries, type Generation } from '../../../../src/store/registry.ts'
import { openTableHost } from '../../../../src/store/remote/tables/table-host.ts'
import { apiKey } from '../../../support/servers/table-server.ts'
import { hashEmbedder } from '../../../support/hash-embedder.ts'
import { openLive, writeGeneration } from '../../../support/store.ts'
import { openServedStores } from '../../../support/servers/served-stores.ts'
import { openEach } from '../../../support/run/dispose.ts'

const stores = openEach(() => openServedStores('db'))
const builder = openEach(() => stores().machine('builder'))

const pages = { a: 'the kettle boils', b: 'the lamp is lit', c: 'a kettle and a lamp' }
const write = (): Promise<Generation> =>
  writeGeneration(builder().folder, pages, { library: 'lib', embedder: hashEmbedder() })
const named = ({ id }: Generation, ...names: string[]) => names.map((it) => `og_${id}_${it}`)

test('detects rows that the service renumbers, loses or changes', async () => {
  const generation = await write()
  const reader = await stores().machine('reader')
  await stores().host.change('pages', { where: "url <> 'none'", values: {} })
  const [open] = await openLive(reader.folder, 'lib')
  using _ = open!
  expect((await open!.page('b'))?.text).toBe('the lamp is lit')
  await stores().host.change('pages', { where: "url = 'b'", values: { text: 'the lamp is red' } })
  await expect(open!.page('b')).rejects.toThrow(
    'a row of pages.lance has changed since it was written',
  )
  const problem = async (isDeep: boolean) =>
    (await readStoreHealth(reader.folder, { isDeep })).broken[0]?.problem
  expect(await problem(false)).toBeUndefined()
  expect(await problem(true)).toBe('a row of pages.lance has changed since it was written')
  await stores().host.change('chunks', { where: "url = 'b'", values: null })
  const [chunks] = named(generation, 'chunks')
  expect(await problem(false)).toBe(
    `in the bucket table ${chunks} of db://docs has 2 rows, 3 were written`,
  )
})

test('does not publish rows that the service received twice', async () => {
  stores().host.isTwice = true
  const error = await write().catch((it) => it)
  expect(error.message).toMatch(/^Cannot publish table og_\S+: it has 6 rows, 3 were sent$/)
  expect(await readEntries(builder().folder)).toEqual([])
})

test('rejects a wrong key, a missing key, and a bucket whose tables are elsewhere', async () => {
  await write()
  const [open] = await openLive((await stores().machine('wrong', 'sk_other')).folder, 'lib')
  using _ = open!
  const error = await open!.page('a').catch((it) => it)
  expect(error.message).toBe('Cannot read store db://docs: the service answers 401')
  expect(error.message + error.hint).not.toContain(apiKey)
  const options = { storage: async () => ({}), warn() {} }
  const keyless = openTableHost(
    { place: 'db://docs', endpoint: null, region: null, apiKey: undefined, ready: async () => {} },
    options,
  )
  await expect(keyless.drop('id')).rejects.toThrow('there is no key for it')
  // A builder gets the error before it starts its work.
  const request = { timeoutMs: 1000, what: 'lib', onWait: undefined, signal: undefined }
  await expect((await stores().machine('keyless', 'a b')).lock('lib', request)).rejects.toThrow(
    'there is no key for it',
  )
  const dropAt = (endpoint: string) =>
    openTableHost(
      { place: 'db://docs', endpoint, region: null, apiKey, ready: async () => {} },
      options,
    ).drop('id')
  await expect(dropAt('http://a')).rejects.toThrow('a key is not sent by http')
  await expect(dropAt('a')).rejects.toThrow('Cannot use store.tables_endpoint: it must be an http')
  const { openRemote } = await import('../../../../src/store/remote/open-remote.ts')
  const { address, access } = stores().bucket
  const plain = await openRemote({
    address,
    access,
    cachePath: join(builder().folder, 'plain'),
    cacheBytes: 1e9,
    warn() {},
  })
  await expect(readEntries(plain.folder)).rejects.toThrow(
    'Cannot use store s3://docs/team: its tables are in db://docs',
  )
})
