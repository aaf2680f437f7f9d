/** Tests which key can see which memory. */
import { expect, test } from 'bun:test'
import { openShownHome } from '../../support/page/memory.ts'
import { formTokenIn, openTestSite, type TestSite } from '../../support/page/site.ts'

const token = 'a-token-of-some-length'
const [team, reader] = ['a-key-of-the-team-itself', 'a-key-of-who-only-reads']
const keys = [
  { secret: team, workspaces: ['team'], readOnly: false },
  { secret: reader, workspaces: null, readOnly: true },
]

const bearing = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } })

async function statusOf(site: TestSite, path: string, secret?: string): Promise<number> {
  return (await site.ask(path, secret === undefined ? {} : bearing(secret))).status
}

test('the server token opens a memory that has no keys of its own', async () => {
  await using memory = await openShownHome()
  await using site = await openTestSite({ token, memory: memory.shown })
  expect(await statusOf(site, '/memory')).toBe(303)
  expect(await statusOf(site, '/memory', token)).toBe(200)
})

test('memory keys open memory with the rights of the key', async () => {
  await using memory = await openShownHome({ workspaces: ['me', 'team'], keys })
  for (const own of [null, token]) {
    await using site = await openTestSite({ token: own, memory: memory.shown })
    expect(await statusOf(site, '/', own ?? undefined)).toBe(200)
    const asked = await site.ask('/memory', own === null ? {} : bearing(own))
    expect([asked.status, asked.headers.get('location')]).toEqual([303, '/login?to=%2Fmemory'])
    const named = await site.ask('/', own === null ? {} : bearing(own))
    expect(named.text).toContain('href="/memory"')
    expect(await statusOf(site, '/', team)).toBe(200)
    expect(await statusOf(site, '/memory?workspace=team', team)).toBe(200)
    expect(await statusOf(site, '/memory?workspace=me', team)).toBe(404)
    expect(await statusOf(site, '/memory?workspace=me', reader)).toBe(200)
  }
})

test('a read-only key sees no forms and cannot write', async () => {
  await using memory = await openShownHome({ workspaces: ['me'], keys })
  await using site = await openTestSite({ memory: memory.shown })
  const { text } = await site.ask('/memory', bearing(reader))
  expect(text).not.toContain('action="/memory/write"')
  const form = {
    form: formTokenIn((await site.ask('/login')).text),
    file: 'MEMORY.md',
    content: 'x',
  }
  const answer = await site.ask('/memory/write', { form, ...bearing(reader) })
  expect([answer.status, answer.text.includes('your key is read-only')]).toEqual([403, true])
  const nobody = await site.ask('/memory/write', { form })
  expect(nobody.status).toBe(401)
})

test('a memory key cannot change libraries if the server has a token', async () => {
  await using memory = await openShownHome({ workspaces: ['team'], keys })
  const ingest = { self: ['false'], env: {}, checkSource: async () => {} }
  await using site = await openTestSite({ token, ingest, memory: memory.shown })
  expect((await site.ask('/libraries', bearing(team))).text).not.toContain('/libraries/add')
  expect((await site.ask('/libraries', bearing(token))).text).toContain('/libraries/add')
})

test('logs in with a memory key and logs out', async () => {
  await using memory = await openShownHome({ workspaces: ['team'], keys })
  await using site = await openTestSite({ memory: memory.shown })
  expect((await site.ask('/')).text).not.toContain('Log out')
  const form = { form: formTokenIn((await site.ask('/login')).text), to: '/memory' }
  expect((await site.ask('/login', { form: { ...form, token } })).status).toBe(401)
  const { headers } = await site.ask('/login', { form: { ...form, token: team } })
  const cookie = headers.get('set-cookie')!.split(';')[0]!
  const page = await site.ask('/memory', { headers: { cookie } })
  expect([page.status, page.text.includes('Log out')]).toEqual([200, true])
})

test('shows read-only memory to clients of its own user, and rejects writes', async () => {
  const isReader = async ({ port }: { port: number }) => port === 1
  const [mine, other] = [1, 2].map((port) => ({ address: '127.0.0.1', port, calledPort: 3 }))
  for (const own of [null, token]) {
    await using memory = await openShownHome()
    await using site = await openTestSite({ token: own, memory: { ...memory.shown, isReader } })
    const known = own === null ? {} : bearing(own)
    const { status, text } = await site.ask('/memory', { ...known, client: mine! })
    expect([status, text.includes('og open --memory'), text.includes('/memory/write')]).toEqual([
      200,
      true,
      false,
    ])
    const refused = await site.ask('/memory', { ...known, client: other! })
    expect([refused.status, refused.text.includes('og open --memory')]).toEqual([403, true])
    expect(await statusOf(site, '/memory', own ?? undefined)).toBe(403)
    for (const [client, isNamed] of [
      [mine!, true],
      [other!, false],
      [undefined, false],
    ] as const) {
      for (const path of ['/', '/libraries', '/none']) {
        const page = await site.ask(path, { ...known, client })
        expect([path, page.text.includes('href="/memory"')]).toEqual([path, isNamed])
      }
    }
    if (own !== null) expect((await site.ask('/memory', { client: mine! })).status).toBe(303)
    const form = { form: formTokenIn(text) || 'none', file: 'MEMORY.md', content: 'x' }
    expect(
      (await site.ask('/memory/write', { form, ...known, client: mine! })).status,
    ).toBeGreaterThanOrEqual(400)
  }
  const key = { secret: team, workspaces: null, readOnly: false }
  await using memory = await openShownHome({ keys: [key] })
  await using site = await openTestSite({ memory: { ...memory.shown, isReader } })
  expect((await site.ask('/memory', { client: mine! })).status).toBe(303)
  expect((await site.ask('/memory', bearing(team))).text).not.toContain('/memory/write')
})
