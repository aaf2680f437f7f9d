import { expect, test } from 'bun:test'
import { parse as parseToml } from 'smol-toml'
import { clients } from '../../../src/cli/clients/client.ts'
import {
  findClient,
  configSnippet,
  ownLaunchCommand,
  wrapInWsl,
} from '../../../src/cli/clients/snippet.ts'

test("prints the same entry that install writes to the client's settings", async () => {
  const launch = { command: '/opt/my og', args: ['mcp'] }
  for (const client of clients) {
    const text = await configSnippet(client, launch)
    const content = client.format === 'json' ? JSON.parse(text) : parseToml(text)
    expect(content).toEqual({ [client.section]: { og: client.entry(launch) } })
  }
})

test('launches this executable, through wsl.exe on Windows', () => {
  const launch = ownLaunchCommand(['mcp'])
  expect(launch).toEqual({ command: process.execPath, args: [Bun.main, 'mcp'] })
  expect(wrapInWsl({ command: '/og', args: ['mcp'] })).toEqual({
    command: 'wsl.exe',
    args: ['/og', 'mcp'],
  })
})

test('rejects an unknown client', () => {
  expect(findClient('Cursor').title).toBe('Cursor')
  expect(() => findClient('cursr')).toThrow('Unknown client "cursr"')
})
