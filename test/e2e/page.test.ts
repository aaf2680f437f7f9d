/** Tests the web page that the executable serves. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, handbook, type RunOptions, type World } from '../support/e2e.ts'
import { endOgServer, startOgServer } from '../support/servers/og-server.ts'
import { asOrdinaryUser } from '../support/ordinary-user.ts'
import { until } from '../support/until.ts'
import { serveLocal } from '../support/servers/serve-local.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
  await world.og(['add', 'handbook', '-v', '1.0', '-s', handbook])
})
afterAll(() => world[Symbol.asyncDispose]())

const started = (args: string[], options?: RunOptions, within = world) =>
  startOgServer(within, args, options)

test('og serve serves the web page and MCP, and with --no-page only MCP', async () => {
  const server = await started(['serve', '--port', '0'])
  const page = await fetch(`${server.url}?q=handbook`)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const text = await page.text()
  expect(text).toContain('<ol class="hits">')
  const [, read] = /<h2 id="hit-1"><a href="([^"#]*)/.exec(text) ?? []
  const shown = await fetch(new URL(read!.replaceAll('&amp;', '&'), server.url))
  expect([shown.status, (await shown.text()).includes('<article class="page prose">')]).toEqual([
    200,
    true,
  ])
  expect((await fetch(new URL('/mcp', server.url))).status).toBe(405)
  const foreign = await fetch(server.url, { headers: { Host: 'evil.example' } })
  expect(foreign.status).toBe(403)
  expect(await endOgServer(server)).toBe(0)
  const plain = await started(['serve', '--port', '0', '--no-page'])
  expect((await fetch(plain.url)).status).toBe(404)
  expect(await endOgServer(plain)).toBe(0)
})

test('og open starts a server and a browser, or opens the server that is already running', async () => {
  const browser = join(world.folder, 'bin', 'browser')
  const opened = join(world.folder, 'tmp', 'opened')
  writeFileSync(browser, `#!/bin/sh\necho "$1" >> ${opened}\n`)
  chmodSync(browser, 0o755)
  const env = { BROWSER: browser }
  const server = await started(['open', '--port', '0'], { env })
  // The shell creates the file before it writes to it.
  await until(
    'the browser is told',
    () => existsSync(opened) && readFileSync(opened, 'utf8').endsWith('\n'),
  )
  expect(readFileSync(opened, 'utf8')).toBe(`${server.url}\n`)
  const { port } = new URL(server.url)
  await world.check(['open', '--port', port], { stdout: `${server.url}\n` }, { env })
  expect(readFileSync(opened, 'utf8')).toBe(`${server.url}\n`.repeat(2))
  await world.check(['open', '--port', port, '--no-browser'], { stdout: `${server.url}\n` })
  const asked = ['open', '--port', port, '--no-browser', 'tea & pots']
  await world.check(asked, { stdout: `${server.url}?q=tea+%26+pots\n` })
  const none = { env: { BROWSER: '/none/such' } }
  await world.check(
    ['open', '--port', port],
    { stdout: `${server.url}\n`, stderr: /hint: open it / },
    none,
  )
  expect(await endOgServer(server)).toBe(0)
})

test('og open does not disturb another program on its port', async () => {
  using other = serveLocal(() => new Response('hello'))
  const server = await started(['open', '--no-browser', '--port', String(other.port)])
  expect(new URL(server.url).port).not.toBe(String(other.port))
  expect((await fetch(server.url)).status).toBe(200)
  expect(await endOgServer(server)).toBe(0)
})

test('lets users add libraries if allowed, reports jobs, and closes the event stream when og exits', async () => {
  const server = await started(['serve', '--port', '0', '--allow-ingest'])
  const page = await (await fetch(new URL('/libraries', server.url))).text()
  const [, form] = /name="form" value="([^"]+)"/.exec(page) ?? []
  const told = await fetch(new URL('/jobs/events', server.url))
  expect(told.headers.get('content-type')).toBe('text/event-stream')
  const events = told.body!.getReader()
  let text = ''
  const read = async () => (text += new TextDecoder().decode((await events.read()).value))
  expect(await read()).toStartWith('data: <ul class="jobs" data-running="0">')
  const send = (values: Record<string, string>) =>
    fetch(new URL('/libraries/add', server.url), {
      method: 'POST',
      body: new URLSearchParams({ form: form!, ...values }),
      redirect: 'manual',
    })
  const local = await send({ library: 'own', source: handbook })
  expect([local.status, await local.text()]).toEqual([400, expect.stringContaining('role="alert"')])
  expect((await send({ library: 'no-such-library' })).status).toBe(303)
  while (!/badge failed/.test(text)) await read()
  expect(await endOgServer(server)).toBe(0)
})

test('og serve --memory shows memory and lets people change it, and without the option shows none', async () => {
  const env = { GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }
  await world.og(['memory', 'write', 'The boiler is in room 4.'], { env })
  const plain = await started(['serve', '--port', '0'])
  expect((await fetch(new URL('/memory', plain.url))).status).toBe(404)
  expect(await endOgServer(plain)).toBe(0)
  const server = await started(['serve', '--port', '0', '--memory'], { env })
  const page = await (await fetch(new URL('/memory', server.url))).text()
  expect(page).toContain('The boiler is in room 4.')
  const [, form] = /name="form" value="([^"]+)"/.exec(page) ?? []
  const body = new URLSearchParams({ form: form!, file: 'daily', content: 'It was lit.' })
  const sent = await fetch(new URL('/memory/write', server.url), { method: 'POST', body })
  expect([sent.status, (await sent.text()).includes('>It was lit.</a></h2>')]).toEqual([200, true])
  const { port } = new URL(server.url)
  const open = ['open', '--port', port, '--no-browser', '--memory']
  await world.check(open, { stdout: `${server.url}\n` }, { env })
  expect(await endOgServer(server)).toBe(0)
  await world.check(['serve', '--memory', '--no-page'], {
    exitCode: 2,
    stderr: 'error: Option "--memory" cannot be used with "--no-page"\n',
  })
  const keys = { ...env, GROUNDMEMORY_MCP__API_KEY: 'a-key-of-memory-alone' }
  const keyed = await started(['serve', '--port', '0', '--memory'], { env: keys })
  expect((await fetch(new URL('/memory', keyed.url))).url).toContain('/login?to=%2Fmemory')
  expect(await endOgServer(keyed)).toBe(0)
})

test('og open shows memory read-only', async () => {
  await using own = await createWorld()
  const env = { GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }
  const open = ['open', '--port', '0', '--no-browser']
  const server = await started(open, { env }, own)
  const empty = await fetch(new URL('/memory', server.url))
  expect([empty.status, await empty.text()]).toEqual([
    404,
    expect.stringContaining('Nothing is remembered yet'),
  ])
  // The page was open before the first note.
  await own.og(['memory', 'write', 'The boiler is in room 4.'], { env })
  const page = await (await fetch(new URL('/memory', server.url))).text()
  expect(page).toContain('The boiler is in room 4.')
  expect(page).not.toContain('action="/memory/write"')
  const { port } = new URL(server.url)
  expect(await (await fetch(new URL('/health', server.url))).text()).not.toContain('memory')
  if (process.getuid?.() === 0 && Bun.which('setpriv') !== null) {
    const asked = [
      ...asOrdinaryUser(),
      'bash',
      '-c',
      `exec 3<>/dev/tcp/127.0.0.1/${port}
      printf 'GET /memory HTTP/1.1\\r\\nHost: 127.0.0.1:${port}\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3`,
    ]
    const stranger = Bun.spawnSync(asked, { cwd: '/' }).stdout.toString()
    expect(stranger).toStartWith('HTTP/1.1 403')
    expect(stranger).not.toContain('boiler')
  }
  expect(await endOgServer(server)).toBe(0)
  const wrong = { ...env, GROUNDMEMORY_MCP__KEYS_FILE: '/nowhere/keys' }
  const without = await started(open, { env: wrong }, own)
  expect((await fetch(new URL('/', without.url))).status).toBe(200)
  expect(await endOgServer(without)).toBe(0)
})

test('adds a signed pack of a registry by name on the page, and rejects an unsigned one', async () => {
  await using own = await createWorld()
  await own.og(['add', 'handbook', '-v', '1.0', '-s', handbook])
  const packs = join(own.folder, 'cwd', 'packs')
  mkdirSync(packs)
  await own.og(['pack', 'handbook', '-o', join(packs, 'handbook-1.0.ogpack')])
  await own.og(['remove', 'handbook', '-v', '1.0', '-y'])
  await own.og(['registry', 'key', 'og.key'])
  await own.og(['registry', 'build', 'packs', '--key', 'og.key'])
  await own.og(['registry', 'add', 'packs', '--key', 'og.key.pub', '--name', 'team'])
  const server = await started(['serve', '--port', '0', '--allow-ingest'], {}, own)
  const libraries = async () => (await fetch(new URL('/libraries', server.url))).text()
  const [, form] = /name="form" value="([^"]+)"/.exec(await libraries()) ?? []
  const send = (library: string) =>
    fetch(new URL('/libraries/add', server.url), {
      method: 'POST',
      body: new URLSearchParams({ form: form!, library }),
      redirect: 'manual',
    })
  expect((await send('handbook')).status).toBe(303)
  await until('it is there', async () => (await own.json(['list', '--json'])).length === 1)
  const [added] = await own.json(['list', '--json'])
  expect(added).toMatchObject({
    library: 'handbook',
    version: '1.0',
    pack: expect.stringContaining('packs/'),
  })
  await send(join(packs, 'handbook-1.0.ogpack'))
  await until('the job says why not', async () =>
    (await libraries()).includes('Cannot add a pack for an agent: it is not signed'),
  )
  expect(await endOgServer(server)).toBe(0)
})
