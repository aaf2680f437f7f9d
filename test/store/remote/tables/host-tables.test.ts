import { expect, test } from 'bun:test'
import { readStoreHealth } from '../../../../src/store/check.ts'
import {
  connectHost,
  type TableHostAddress,
} from '../../../../src/store/remote/tables/host-tables.ts'
import { catalogKey } from '../../../support/servers/catalog-server.ts'
import { openServedStores } from '../../../support/servers/served-stores.ts'
import { openLive, writeGeneration } from '../../../support/store.ts'
import { openEach } from '../../../support/run/dispose.ts'
import { serveLocal } from '../../../support/servers/serve-local.ts'

const stores = openEach(() => openServedStores('rest'))

const written = async () =>
  writeGeneration(
    (await stores().machine('builder')).folder,
    { a: 'the lamp is lit' },
    { library: 'lib', embedder: null },
  )

/** Returns the reason why a page cannot be read on another machine. */
async function refusal(apiKey?: string): Promise<{ message: string; hint: string; code: string }> {
  const [open] = await openLive((await stores().machine('reader', apiKey)).folder, 'lib')
  using _ = open!
  const error = await open!.page('a').catch((it) => it)
  expect(error.message + error.hint).not.toContain(catalogKey)
  return error
}

test('reports a catalog that refuses, fails or speaks another protocol in one line', async () => {
  await written()
  const line = 'Cannot read store rest://team/docs: the service'
  expect(await refusal('other')).toMatchObject({
    message: `${line} answers "Unauthenticated"`,
    code: 'denied',
  })
  stores().host.fault = () => new Response('ck_ is wrong', { status: 403 })
  expect(await refusal()).toMatchObject({ message: `${line} answers 403`, code: 'denied' })
  stores().host.fault = () => Response.json({ code: 17, error: 'ck_' }, { status: 503 })
  expect((await refusal()).message).toStartWith(line)
  stores().host.fault = () => new Response('<html>', { headers: { 'content-type': 'text/html' } })
  expect(await refusal()).toMatchObject({ message: `${line} does not answer` })
  stores().host.fault = () => Response.json({ code: 1, error: 'ck_' }, { status: 404 })
  expect(await refusal()).toMatchObject({ message: `${line} answers "Namespace not found"` })
})

test('reports a table that the catalog has lost', async () => {
  const { id } = await written()
  stores().host.fault = (asked) =>
    asked.includes('pages/') ? Response.json({ code: 4, error: 'ck_' }, { status: 404 }) : null
  expect((await refusal()).message).toBe(
    `Cannot read store rest://team/docs: table og_${id}_pages is missing`,
  )
  const { folder } = await stores().machine('reader')
  expect((await readStoreHealth(folder, { isDeep: false })).broken[0]?.problem).toContain(
    `table og_${id}_pages of rest://team/docs is missing`,
  )
})

test("prefers the catalog's keys to the bucket's", async () => {
  await written()
  stores().host.handedOut = { aws_access_key_id: 'AKIDOTHER' }
  expect((await refusal()).message).toBe(
    'Cannot read store rest://team/docs: the service answers 403',
  )
})

test('sends the right key to the right server', async () => {
  const connected = (settings: Partial<TableHostAddress>) =>
    connectHost(
      {
        place: stores().place,
        endpoint: stores().host.url,
        region: null,
        apiKey: catalogKey,
        ready: async () => {},
        ...settings,
      },
      async () => ({}),
    )
  const sent: (string | null)[] = []
  using server = serveLocal(({ headers }) => {
    sent.push(headers.get('x-api-key'), headers.get('authorization'))
    return Response.json({ code: 4 }, { status: 404 })
  })
  const endpoint = `http://127.0.0.1:${server.port}`
  for (const apiKey of ['key', 'Bearer token', undefined]) {
    expect(await (await connected({ endpoint, apiKey })).open('none')).toBeNull()
  }
  expect(sent).toEqual(['key', null, null, 'Bearer token', null, null])
  await (await connected({})).drop(['none', 'other'])
  expect(stores().host.asked.map((it) => it.split(' ')[1])).toEqual([
    '/lance/v1/table/team$docs$none/drop',
    '/lance/v1/table/team$docs$other/drop',
  ])
  await expect(connected({ endpoint: null })).rejects.toThrow(
    'Cannot use store rest://team/docs: the URL of its catalog is not set',
  )
  await expect(connected({ endpoint: 'http://a' })).rejects.toThrow('a key is not sent by http')
  await expect(connected({ apiKey: 'a b' })).rejects.toThrow('there is no key for it')
})
