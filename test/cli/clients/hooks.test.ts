import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parse } from 'jsonc-parser'
import { configureHooks, hookClients } from '../../../src/cli/clients/hooks.ts'
import { findClient } from '../../../src/cli/clients/client.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'

const launch = { command: '/opt/my og', args: ['memory', 'capture', '--client', 'x'] }

/** Runs in a temporary home that contains a settings file of the client. */
async function inHome(name: string, before: string | null) {
  const temp = await createTempFolder('og hooks')
  const machine = { env: { HOME: temp.path }, platform: 'linux' as const, cwd: temp.path }
  const client = findClient(name)
  const run = (change: Partial<Parameters<typeof configureHooks>[2]> = {}) =>
    configureHooks(client, machine, { launch, scope: 'user', dryRun: false, ...change })
  const { path } = (await run({ dryRun: true }))!
  if (before !== null) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, before)
  }
  const text = () => (existsSync(path) ? readFileSync(path, 'utf8') : null)
  return { run, path, text, [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose]() }
}

test("keeps comments and other hooks when it adds or removes og's hooks", async () => {
  const before = '{\n  // mine\n  "hooks": { "SessionStart": [{ "hooks": [] }] }, "a": 1\n}\n'
  await using home = await inHome('claude-code', before)
  expect(await home.run()).toMatchObject({ change: 'added', backup: `${home.path}.og-backup` })
  const { hooks, a } = parse(home.text()!)
  expect(a).toBe(1)
  expect(Object.keys(hooks)).toEqual([
    'SessionStart',
    'UserPromptSubmit',
    'PreCompact',
    'SessionEnd',
  ])
  expect(hooks.SessionStart).toHaveLength(2)
  expect(hooks.SessionEnd).toEqual([
    {
      hooks: [{ type: 'command', command: '"/opt/my og" memory capture --client x', timeout: 10 }],
    },
  ])
  expect(home.text()).toContain('// mine')
  expect((await home.run())!.change).toBe('none')
  const other = { command: '/new/og', args: launch.args }
  expect((await home.run({ launch: other }))!.change).toBe('replaced')
  expect(home.text()).not.toContain('my og')
  expect((await home.run({ launch: null }))!.change).toBe('removed')
  expect(parse(home.text()!)).toEqual({ hooks: { SessionStart: [{ hooks: [] }] }, a: 1 })
})

test('keeps the backup made earlier in the same run', async () => {
  await using home = await inHome('gemini', '{"a": 1}')
  const saved = `${home.path}.og-backup`
  writeFileSync(saved, 'of the server entry')
  expect(await home.run({ saved })).toMatchObject({ change: 'added', backup: null })
  expect(readFileSync(saved, 'utf8')).toBe('of the server entry')
})

test.each(hookClients.map((name) => [name] as const))(
  'writes a new file for %s and removes everything again',
  async (name) => {
    await using home = await inHome(name, null)
    expect((await home.run({ launch: null }))!.change).toBe('none')
    expect((await home.run())!.change).toBe('added')
    expect(home.text()).toContain('"capture"'.slice(1, -1))
    expect((await home.run())!.change).toBe('none')
    expect((await home.run({ launch: null }))!.change).toBe('removed')
    expect(home.text() ?? '').not.toContain('memory capture')
  },
)

test('writes the version that Cursor requires', async () => {
  await using home = await inHome('cursor', null)
  await home.run()
  expect(JSON.parse(home.text()!)).toMatchObject({ version: 1 })
})

test('leaves a plugin of another program and an invalid file unchanged', async () => {
  await using plugin = await inHome('opencode', 'export const Mine = 1\n')
  expect((await plugin.run({ launch: null }))!.change).toBe('none')
  expect(plugin.text()).toBe('export const Mine = 1\n')
  await using broken = await inHome('codex', '{"hooks": ')
  expect(broken.run()).rejects.toThrow('it is not valid JSON')
  expect(broken.text()).toBe('{"hooks": ')
})

test('returns null for a client without hooks', async () => {
  const machine = { env: { HOME: '/nix' }, platform: 'linux' as const, cwd: '/nix' }
  const wish = { launch, scope: 'user', dryRun: false } as const
  expect(await configureHooks(findClient('zed'), machine, wish)).toBeNull()
})
