import { expect, test } from 'bun:test'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { parse as parseJson } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { clients, type Machine, findClient } from '../../../src/cli/clients/client.ts'
import {
  configureClient,
  clientSettingsFile,
  type ClientSetup,
  serverEntries,
} from '../../../src/cli/clients/install.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'

const launch = { command: '/opt/og', args: ['mcp'] }
const { documentation: server } = serverEntries
const install: ClientSetup = { server, launch, scope: 'user', dryRun: false }

type Case = { client: string; before?: string; wish?: Partial<ClientSetup> }

/**
 * Runs in a temporary home. Returns the outcome, the new content of the file and the names of its
 * neighbours.
 */
async function inHome({ client: name, before, wish }: Case) {
  const temp = await createTempFolder('og clients')
  const machine: Machine = { env: { HOME: temp.path }, platform: 'linux', cwd: temp.path }
  const client = findClient(name)
  const path = clientSettingsFile(client, machine, wish?.scope ?? 'user')
  if (before !== undefined) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, before)
  }
  const run = () => configureClient(client, machine, { ...install, ...wish })
  const text = () => readFileSync(path, 'utf8')
  const names = () => readdirSync(dirname(path)).sort()
  return { temp, client, path, run, text, names }
}

async function check(given: Case, expected: { change: string; text?: string | RegExp }) {
  const home = await inHome(given)
  await using _ = home.temp
  const outcome = await home.run()
  expect(outcome.change as string).toBe(expected.change)
  if (typeof expected.text === 'string') expect(home.text()).toBe(expected.text)
  else if (expected.text) expect(home.text()).toMatch(expected.text)
}

test('installs, reinstalls without effect, and uninstalls for every client', async () => {
  for (const { name, format, section, entry } of clients) {
    const home = await inHome({ client: name })
    await using _ = home.temp
    const read = () => (format === 'json' ? parseJson(home.text()) : parseToml(home.text()))
    expect(await home.run()).toMatchObject({ change: 'added', backup: null })
    expect(read()).toEqual({ [section]: { og: entry(launch) } })
    expect(statSync(home.path).mode & 0o777).toBe(0o600)
    const written = home.text()
    expect(await home.run()).toMatchObject({ change: 'none', backup: null })
    expect(home.text()).toBe(written)
    const machine: Machine = { env: { HOME: home.temp.path }, platform: 'linux', cwd: '/' }
    const out = await configureClient(home.client, machine, { ...install, launch: null })
    expect(out.change).toBe('removed')
    expect(read()[section]?.og).toBeUndefined()
    expect(readFileSync(`${home.path}.og-backup`, 'utf8')).toBe(written)
  }
})

test("replaces upstream's entry and keeps keys that a user added to ours", async () => {
  await check(
    { client: 'cursor', before: '{"mcpServers":{"openground":{"command":"og-mcp"},"x":{}}}' },
    { change: 'added', text: /^(?!.*openground).*"x": ?\{\}.*"command": ?"\/opt\/og"/s },
  )
  await check(
    {
      client: 'cursor',
      before: '{"mcpServers":{"og":{"command":"/old","args":["mcp"],"env":{"K":"v"}}}}',
    },
    { change: 'replaced', text: /"K": ?"v"/ },
  )
})

test('installs memory as an entry of its own beside documentation', async () => {
  const own = '{"mcpServers":{"og":{"command":"/opt/og","args":["mcp"]},"groundmemory":{}}}'
  const wish = {
    server: serverEntries.memory,
    launch: { command: '/opt/og', args: ['memory', 'mcp'] },
  }
  const home = await inHome({ client: 'cursor', before: own, wish })
  await using _ = home.temp
  expect(await home.run()).toMatchObject({ change: 'added', replacedUpstream: true })
  expect(parseJson(home.text()).mcpServers).toEqual({
    og: { command: '/opt/og', args: ['mcp'] },
    'og-memory': { command: '/opt/og', args: ['memory', 'mcp'] },
  })
  await check(
    { client: 'cursor', before: home.text(), wish: { server: serverEntries.memory, launch: null } },
    { change: 'removed', text: /^(?!.*og-memory).*"og"/s },
  )
})

test('changes nothing in a dry run or if the file is invalid', async () => {
  const before = '{"mcpServers": {}}'
  const dry = await inHome({ client: 'gemini', before, wish: { dryRun: true } })
  await using _ = dry.temp
  expect((await dry.run()).change).toBe('added')
  expect([dry.text(), dry.names()]).toEqual([before, ['settings.json']])
  const broken = await inHome({ client: 'zed', before: '{"a": 1,, }' })
  await using __ = broken.temp
  await expect(broken.run()).rejects.toThrow(/settings\.json:1:9: it is not valid JSON/)
  expect([broken.text(), broken.names()]).toEqual(['{"a": 1,, }', ['settings.json']])
})

test('keeps a symbolic link and the file mode (W-38)', async () => {
  const home = await inHome({ client: 'cursor' })
  await using _ = home.temp
  const real = join(home.temp.path, 'dotfiles.json')
  writeFileSync(real, '{}')
  chmodSync(real, 0o640)
  mkdirSync(dirname(home.path))
  symlinkSync(real, home.path)
  await home.run()
  expect(lstatSync(home.path).isSymbolicLink()).toBe(true)
  expect(readFileSync(real, 'utf8')).toContain('/opt/og')
  expect(statSync(real).mode & 0o777).toBe(0o640)
  expect(statSync(`${home.path}.og-backup`).mode & 0o777).toBe(0o640)
  expect(home.names()).toEqual(['mcp.json', 'mcp.json.og-backup'])
})

test('does not replace a dangling symbolic link', async () => {
  const home = await inHome({ client: 'cursor' })
  await using _ = home.temp
  mkdirSync(dirname(home.path))
  symlinkSync(join(home.temp.path, 'gone'), home.path)
  await expect(home.run()).rejects.toThrow('leads nowhere')
  expect(lstatSync(home.path).isSymbolicLink()).toBe(true)
})

test("uses the project's settings file if the client has one", async () => {
  const home = await inHome({ client: 'opencode', wish: { scope: 'project' } })
  await using _ = home.temp
  writeFileSync(join(home.temp.path, 'opencode.jsonc'), '{ /* mine */ }')
  expect((await home.run()).path).toEndWith('/opencode.jsonc')
  const other = { env: {}, platform: 'linux' as const, cwd: '/p' }
  expect(clientSettingsFile(findClient('vscode'), other, 'project')).toBe('/p/.vscode/mcp.json')
  expect(() => clientSettingsFile(findClient('windsurf'), other, 'project')).toThrow(
    'for a project',
  )
})

test.each(['cursor', 'codex'])(
  'keeps entries that others write at the same time: %s',
  async (client) => {
    const home = await inHome({ client })
    await using _ = home.temp
    const machine: Machine = { env: { HOME: home.temp.path }, platform: 'linux', cwd: '/' }
    const names = Array.from({ length: 8 }, (_, i) => `server${i}`)
    await Promise.all(
      names.map((name) =>
        configureClient(home.client, machine, {
          ...install,
          server: { name: name as 'og', upstream: 'openground' },
        }),
      ),
    )
    const { format, section } = home.client
    const content = format === 'json' ? parseJson(home.text()) : parseToml(home.text())
    expect(Object.keys(content[section]).sort()).toEqual(names)
  },
)
