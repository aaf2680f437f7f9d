/**
 * og serve for a team: keys limited to libraries, several servers behind a balancer, and shutdown.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, handbook, type World } from '../support/e2e.ts'
import { writeFiles } from '../support/repository.ts'
import { balance, endOgServer, startOgServer } from '../support/servers/og-server.ts'
import { until } from '../support/until.ts'

let world: World
let keysFile: string
let servers: Awaited<ReturnType<typeof startOgServer>>[] = []
let balancer: ReturnType<typeof balance>
beforeAll(async () => {
  world = await createWorld()
  await world.og(['add', 'handbook', '-v', '1.0', '-s', handbook])
  const secret = join(world.folder, 'secret docs')
  writeFiles(secret, { 'plan.md': '# Plan\n\nThe zeppelin is built in May.\n' })
  await world.og(['add', 'acme-plans', '-v', '1', '-s', secret])
  keysFile = join(world.folder, 'home', 'keys.json')
  world.env.OG_SERVE_KEYS = keysFile
  await issued('lead', ['--library', '*', '--may', 'search', '--may', 'page'])
  const args = ['serve', '--port', '0', '--warm', 'handbook', '--stop-limit', '60']
  servers = await Promise.all([startOgServer(world, args), startOgServer(world, args)])
  balancer = balance(servers.map(({ url }) => url))
})
afterAll(async () => {
  balancer[Symbol.dispose]()
  for (const server of servers) expect(await endOgServer(server)).toBe(0)
  await world[Symbol.asyncDispose]()
})

const secrets = new Map<string, string>()

async function issued(name: string, options: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await world.og(['keys', 'add', name, ...options])
  expect([exitCode, stdout, stderr]).toEqual([0, expect.stringMatching(/^og_[\w-]{43}\n$/), ''])
  secrets.set(name, stdout.trim())
  return stdout.trim()
}

const bearer = (name: string) => ({ Authorization: `Bearer ${secrets.get(name)}` })

async function call(name: string, given: object, as: string, base = balancer.url) {
  const answer = await fetch(new URL('/mcp', base), {
    method: 'POST',
    headers: {
      ...bearer(as),
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: given },
    }),
  })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

test('limits each client separately behind a configured proxy', async () => {
  const args = ['serve', '--port', '0', '--no-page', '--proxy', '127.0.0.0/8']
  const server = await startOgServer(world, args)
  const statuses = async (from: (i: number) => string) =>
    new Set(
      await Promise.all(
        Array.from({ length: 1_000 }, async (_, i) => {
          const answer = await fetch(server.url, { headers: { 'X-Forwarded-For': from(i) } })
          await answer.text()
          return answer.status
        }),
      ),
    )
  expect(await statuses((i) => `10.0.${i >> 8}.${i & 255}`)).toEqual(new Set([401]))
  expect(await endOgServer(server)).toBe(0)
  await world.check(['serve', '--port', '0', '--proxy', 'balancer'], {
    exitCode: 2,
    stderr: /^error: Cannot use "balancer" as an address: it is neither/,
  })
})

test('creates, lists and removes keys in a file without secrets that only its owner can read', async () => {
  const secret = await issued('brief', ['--library', 'handbook', '--per-minute', '30'])
  expect(readFileSync(keysFile, 'utf8')).not.toContain(secret.slice(3))
  expect(statSync(keysFile).mode & 0o777).toBe(0o600)
  const listed = await world.json(['keys', 'list', '--json'])
  expect(listed).toContainEqual({
    name: 'brief',
    libraries: ['handbook'],
    may: ['search'],
    per_minute: 30,
  })
  await world.check(['keys', 'add', 'brief', '--library', '*'], {
    exitCode: 2,
    stderr: /^error: Cannot create key "brief": .* already has it\nhint: og keys remove brief/,
  })
  await world.check(['keys', 'add', 'none'], {
    exitCode: 2,
    stderr: /it grants access to no library/,
  })
  await world.check(['keys', 'add', 'odd', '--library', '*', '--may', 'all'], {
    exitCode: 2,
    stderr: /^error: Unknown right "all"/,
  })
  await world.check(['keys', 'remove', 'nobody'], {
    exitCode: 2,
    stderr: /has no key with this name/,
  })
  await world.check(['keys', 'remove', 'brief'], {})
  expect(JSON.stringify(await world.json(['keys', 'list', '--json']))).not.toContain('brief')
  await world.check(
    ['keys', 'list'],
    { exitCode: 2, stderr: /^error: No keys file is given/ },
    { env: { OG_SERVE_KEYS: undefined } },
  )
})

test('clients of both protocol versions work through a balancer that alternates servers', async () => {
  const requestInit = { headers: bearer('lead') }
  const url = new URL('/mcp', balancer.url)
  const clients = [
    {
      client: new Client2({ name: 'test', version: '1' }),
      transport: new Http2(url, { requestInit }),
    },
    {
      client: new Client1({ name: 'test', version: '1' }),
      transport: new Http1(url, { requestInit }),
    },
  ] as { client: Client2; transport: Http2 }[]
  for (const { client, transport } of clients) {
    await client.connect(transport)
    for (let i = 0; i < 4; i++) {
      const found = await client.callTool({
        name: 'search_documents_tool',
        arguments: { query: 'zeppelin', library_name: 'acme-plans' },
      })
      expect(JSON.stringify(found)).toContain('built in May')
    }
    expect((await client.listTools()).tools.length).toBe(4)
    await client.close()
  }
})

test('a login or form of one server is valid on the other servers', async () => {
  let answer = new Response()
  // The keys file has just changed, and a server that has not read it yet issues form tokens that
  // the other rejects.
  await until('both servers have the same keys', async () => {
    const form = await fetch(new URL('/login', balancer.url))
    const token = /name="form" value="([^"]+)"/.exec(await form.text())![1]!
    answer = await fetch(new URL('/login', balancer.url), {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ form: token, token: secrets.get('lead')!, to: '/libraries' }),
    })
    return answer.status === 303
  })
  expect(answer.headers.get('location')).toBe('/libraries')
  const cookie = answer.headers.get('set-cookie')!
  expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/)
  for (let i = 0; i < 3; i++) {
    const headers = { Cookie: cookie.split(';')[0]! }
    const page = await fetch(new URL('/libraries', balancer.url), { headers, redirect: 'manual' })
    expect([page.status, (await page.text()).includes('acme-plans')]).toEqual([200, true])
  }
})

test('a new key works and a removed key fails within seconds, without a restart', async () => {
  await issued('guest', ['--library', 'handbook'])
  const known = async (status: number) => {
    for (const { url } of servers) {
      if ((await call('list_libraries_tool', {}, 'guest', url)).status !== status) return false
    }
    return true
  }
  const started = performance.now()
  await until('both servers know the key', () => known(200))
  const { text } = await call('list_libraries_tool', {}, 'guest')
  expect(text).toContain('handbook')
  expect(text).not.toContain('acme')
  const hidden = await call(
    'search_documents_tool',
    { query: 'zeppelin', library_name: 'acme-plans' },
    'guest',
  )
  expect(hidden.text).toContain("Library 'acme-plans' not found. Available libraries: handbook")
  await world.og(['keys', 'remove', 'guest'])
  await until('no server knows the key', () => known(401))
  expect(performance.now() - started).toBeLessThan(60_000)
})

test('limits the rate of a key even for simultaneous requests, and reports how long to wait', async () => {
  await issued('slow', ['--library', '*', '--per-minute', '20'])
  await issued('daily', ['--library', '*', '--per-day', '3'])
  const { url } = servers[0]!
  for (const name of ['slow', 'daily']) {
    await until(`${name} is known`, async () =>
      Object.hasOwn(
        await fetch(new URL('/ready', url), { headers: bearer(name) }).then(
          (answer) => answer.json() as Promise<object>,
        ),
        'warm',
      ),
    )
  }
  const statuses = async (name: string) => {
    const all = await Promise.all(
      Array.from({ length: 12 }, () => call('list_libraries_tool', {}, name, url)),
    )
    for (const { status, headers } of all) {
      if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    return all.filter(({ status }) => status === 200).length
  }
  // A third request may be allowed because time has passed.
  expect(await statuses('slow')).toBeLessThan(5)
  expect(await statuses('daily')).toBe(3)
  expect(await statuses('lead')).toBe(12)
})

test('writes an audit log, and shows metrics only to keys that may see them', async () => {
  await issued('watch', ['--library', 'none', '--may', 'metrics'])
  const audit = join(world.folder, 'home', 'audit.jsonl')
  const server = await startOgServer(world, ['serve', '--port', '0', '--metrics', '--audit', audit])
  const scraped = async (name: string) => {
    const answer = await fetch(new URL('/metrics', server.url), { headers: bearer(name) })
    return { status: answer.status, text: await answer.text() }
  }
  const given = { query: 'zeppelin', library_name: 'acme-plans' }
  await call('search_documents_tool', given, 'lead', server.url)
  await call('search_documents_tool', { ...given, limit: 'many' }, 'lead', server.url)
  await call('list_libraries_tool', {}, 'nobody', server.url)
  const headers = bearer('lead')
  // The server writes the line to the audit log after it has sent the whole page.
  await (await fetch(new URL('/?q=zeppelin&library=acme-plans', server.url), { headers })).text()
  const { text } = await scraped('watch')
  expect(text).toContain('call="search_documents_tool",status="ok"')
  expect([(await scraped('lead')).status, (await scraped('nobody')).status]).toEqual([403, 401])
  expect(await endOgServer(server)).toBe(0)
  const written = readFileSync(audit, 'utf8')
  expect(written).not.toContain('zeppelin')
  const lines = written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ key, tool, library, status }) => [key, tool, library, status])).toEqual([
    ['lead', 'search_documents_tool', 'acme-plans', 'ok'],
    ['lead', 'search_documents_tool', 'acme-plans', 'error'],
    [null, 'POST /mcp', null, 401],
    ['lead', 'GET /', 'acme-plans', 200],
    ['lead', 'GET /metrics', null, 403],
    [null, 'GET /metrics', null, 401],
  ])
  await world.check(['serve', '--audit-queries'], {
    exitCode: 2,
    stderr: /^error: Option "--audit-queries" needs "--audit"/,
  })
})

test('a server does not start if other users may write its keys file', async () => {
  const open = join(world.folder, 'home', 'open.json')
  await world.og(['keys', 'add', 'a', '--library', '*', '--keys-file', open])
  chmodSync(open, 0o666)
  await world.check(['serve', '--port', '0', '--keys-file', open], {
    exitCode: 2,
    stderr: /^error: Cannot read the keys of DIR\/home\/open.json: others may write/,
  })
})

test('after SIGTERM, a server reports that it is not ready, serves during its delay, and exits with 0', async () => {
  const args = ['serve', '--port', '0', '--warm', 'handbook@1.0', '--stop-delay', '5']
  const server = await startOgServer(world, args)
  const ready = async () => (await fetch(new URL('/ready', server.url))).status
  await until('it is ready', async () => (await ready()) === 200)
  server.kill('SIGTERM')
  await until('it is not ready', async () => (await ready()) === 503)
  expect((await call('list_libraries_tool', {}, 'lead', server.url)).status).toBe(200)
  expect((await server.ended).exitCode).toBe(0)
})

test('a server that is paused for 2 s after SIGTERM drops no call and exits with 0', async () => {
  const args = ['serve', '--port', '0', '--warm', 'handbook@1.0', '--stop-delay', '6']
  const server = await startOgServer(world, args)
  const ready = async () => (await fetch(new URL('/ready', server.url))).status
  await until('it is ready', async () => (await ready()) === 200)
  server.kill('SIGTERM')
  await until('it is not ready', async () => (await ready()) === 503)
  server.kill('SIGSTOP')
  const answer = call('list_libraries_tool', {}, 'lead', server.url)
  await Bun.sleep(2_000)
  server.kill('SIGTERM')
  server.kill('SIGCONT')
  expect((await answer).status).toBe(200)
  expect((await server.ended).exitCode).toBe(0)
})
