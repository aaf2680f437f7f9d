/** Sources that an agent chooses reach no private network, even through the executable. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createWorld, type World } from '../../support/e2e.ts'
import { serveRepositories, type GitServer } from '../../support/servers/git-server.ts'
import { commit, git, writeFiles } from '../../support/repository.ts'
import { html, openSite, redirect, urlset, type Site } from '../../support/servers/site.ts'

let world: World
let site: Site
let forge: GitServer
beforeAll(async () => {
  world = await createWorld()
  site = openSite({
    '/sitemap.xml': urlset('/a'),
    '/a': html('Zither'),
    '/moved.git/info/refs': () =>
      redirect(`${forge.url}/kit.git/info/refs?service=git-upload-pack`)(),
  })
  commit(join(world.folder, 'work'), { 'a.md': '# A\n\nzither\n' })
  git(world.folder, 'clone', '--quiet', '--bare', 'work', 'repositories/kit.git')
  git(join(world.folder, 'repositories/kit.git'), 'config', 'uploadpack.allowFilter', 'true')
  forge = serveRepositories(join(world.folder, 'repositories'))
  writeFiles(world.folder, {
    'cwd/.openground/sources.json': JSON.stringify({
      listed: { type: 'sitemap', sitemap_url: `${site.url}/sitemap.xml` },
    }),
  })
})
afterAll(async () => {
  site[Symbol.dispose]()
  await forge[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

type Call = { name: string; arguments: Record<string, string> }

/** Starts a server with these arguments, and returns the texts of its answers. */
async function answers(args: string[], calls: Call[]): Promise<string[]> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  }
  const messages = [
    { id: 0, method: 'initialize', params },
    { method: 'notifications/initialized' },
    ...calls.map((call, at) => ({ id: at + 1, method: 'tools/call', params: call })),
  ]
  const child = Bun.spawn([world.executable, 'mcp', '--allow-ingest', ...args], {
    cwd: join(world.folder, 'cwd'),
    env: world.env,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  for (const message of messages) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
  const told = new Map<number, string>()
  let rest = ''
  const decoder = new TextDecoder()
  for await (const bytes of child.stdout) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      const { id, result } = JSON.parse(line)
      if (typeof id === 'number' && result?.content) told.set(id, result.content[0].text)
    }
    if (told.size === calls.length) break
  }
  child.kill('SIGTERM')
  await child.exited
  return calls.map((_, at) => told.get(at + 1)!)
}

const add = (library: string, source?: string): Call => ({
  name: 'add_library_tool',
  arguments: { library_name: library, ...(source === undefined ? {} : { source }) },
})

test('no tool connects to a private network (W-63)', async () => {
  await world.og(['sources', 'trust', join(world.folder, 'cwd')])
  await world.json(['add', 'stored', '-s', `${site.url}/sitemap.xml`, '--json'])
  const before = [site.requests.length, forge.requests.length]
  const { port } = new URL(site.url)
  const forgePort = new URL(forge.url).port
  const said = await answers(
    [],
    [
      add('a', `${site.url}/sitemap.xml`),
      add('b', `http://2130706433:${port}/sitemap.xml`),
      add('c', `http://[::ffff:127.0.0.1]:${port}/a`),
      add('d', `http://localhost:${port}/llms.txt`),
      add('e', `http://0:${forgePort}/kit.git`),
      add('f', `git://127.0.0.1:${port}/kit.git`),
      add('listed'),
      { name: 'update_library_tool', arguments: { library_name: 'stored' } },
      add('g', join(world.folder, 'work')),
      add('h', `file://${world.folder}/repositories/kit.git`),
    ],
  )
  for (const text of said.slice(0, 8)) {
    expect(text).toMatch(/^Cannot (fetch|read) .*\nhint: an agent may name public .*--allow-h/)
  }
  for (const text of said.slice(8)) expect(text).toMatch(/an agent may name .*\nhint: a person can/)
  expect([site.requests.length, forge.requests.length]).toEqual(before)
  const listed = await world.json(['list', '--json'])
  expect(JSON.stringify(listed)).not.toMatch(/"(a|b|c|d|e|f|g|h|listed)"/)
})

test('reads an allowed host, and does not let git follow its redirect to another host', async () => {
  const host = new URL(site.url).host
  const before = forge.requests.length
  const [added, moved] = await answers(
    ['--allow-host', host],
    [add('open', `${site.url}/sitemap.xml`), add('moved', `${site.url}/moved.git`)],
  )
  expect(added).toMatch(/^open latest: added\. 1 page,/)
  expect(moved).toContain(
    `it redirects to ${forge.url}/kit.git, and the address is of this machine`,
  )
  expect(forge.requests.length).toBe(before)
  const both = ['--allow-host', host, '--allow-host', new URL(forge.url).host]
  const [followed] = await answers(both, [add('moved', `${site.url}/moved.git`)])
  expect(followed).toMatch(/^moved latest: added\. 1 page,/)
})

test('a person may choose any source, and install-mcp passes --allow-host to the client', async () => {
  await world.check(['add', 'own', '-s', `${site.url}/moved.git`], {
    stdout: /own latest/,
    stderr: /.*/s,
  })
  const wish = ['--allow-ingest', '--allow-host', 'Wiki.corp', '--allow-host', '::1']
  const { stdout } = await world.og(['install-mcp', ...wish])
  expect(JSON.parse(stdout).mcpServers.og.args).toEqual([
    'mcp',
    '--allow-ingest',
    '--allow-host',
    'wiki.corp',
    '--allow-host',
    '[::1]',
  ])
  const lone = await world.og(['mcp', '--allow-host', 'wiki.corp'])
  expect(lone.stderr).toBe('error: Option "--allow-host" needs "--allow-ingest"\n')
  const odd = await world.og(['serve', '--allow-ingest', '--allow-source-host', 'http://x'])
  expect(odd.stderr).toStartWith(
    'error: Cannot allow "http://x": it is neither a host nor HOST:PORT',
  )
  const slip = await world.og(['list'], { env: { OG_REACH: 'public' } })
  expect(slip.stderr).toStartWith('error: Cannot use OG_REACH')
})
