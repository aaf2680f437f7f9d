import { configSnippet } from '../../../src/cli/clients/install.ts'
import { expect, test } from 'bun:test'
import {
  clients,
  type Machine,
  findClient,
  machinePath,
  ownLaunchCommand,
  wrapInWsl,
} from '../../../src/cli/clients/client.ts'
import { parse as parseToml } from 'smol-toml'

function check(machine: Partial<Machine>, expected: Record<string, string>): void {
  const whole: Machine = { env: { HOME: '/h' }, platform: 'linux', cwd: '/p', ...machine }
  const found = clients.map((client) => [client.name, machinePath(whole, client.files[0]!)])
  expect(Object.fromEntries(found)).toMatchObject(expected)
}

test("lists the user's settings file of every client", () => {
  check(
    {},
    {
      'claude-code': '/h/.claude.json',
      cursor: '/h/.cursor/mcp.json',
      opencode: '/h/.config/opencode/opencode.json',
      'claude-desktop': '/h/.config/Claude/claude_desktop_config.json',
      codex: '/h/.codex/config.toml',
      vscode: '/h/.config/Code/User/mcp.json',
      gemini: '/h/.gemini/settings.json',
      windsurf: '/h/.codeium/windsurf/mcp_config.json',
      zed: '/h/.config/zed/settings.json',
      copilot: '/h/.copilot/mcp-config.json',
      cline: '/h/.cline/data/settings/cline_mcp_settings.json',
      kiro: '/h/.kiro/settings/mcp.json',
    },
  )
  check(
    { platform: 'darwin' },
    {
      'claude-desktop': '/h/Library/Application Support/Claude/claude_desktop_config.json',
      vscode: '/h/Library/Application Support/Code/User/mcp.json',
      zed: '/h/.config/zed/settings.json',
    },
  )
  check(
    { platform: 'win32', env: { HOME: '/u', APPDATA: '/u/roaming' } },
    {
      'claude-desktop': '/u/roaming/Claude/claude_desktop_config.json',
      zed: '/u/roaming/Zed/settings.json',
    },
  )
  check(
    { env: { HOME: '/u', COPILOT_HOME: '/c', CLINE_MCP_SETTINGS_PATH: '/d/cline.json' } },
    { copilot: '/c/mcp-config.json', cline: '/d/cline.json' },
  )
  const cline = 'settings/cline_mcp_settings.json'
  check({ env: { HOME: '/u', CLINE_DIR: '/c' } }, { cline: `/c/data/${cline}` })
  check({ env: { HOME: '/u', CLINE_DIR: '/c', CLINE_DATA_DIR: '/d' } }, { cline: `/d/${cline}` })
  check(
    { env: { HOME: '/u', CODEX_HOME: '/c', CLAUDE_CONFIG_DIR: '/d', XDG_CONFIG_HOME: '/x' } },
    {
      codex: '/c/config.toml',
      'claude-code': '/d/.claude.json',
      opencode: '/x/opencode/opencode.json',
    },
  )
})

test("writes the entry in every client's format", () => {
  const launch = { command: '/bin/og', args: ['mcp'] }
  const shapes = Object.fromEntries(
    clients.map(({ name, section, entry }) => [name, { [section]: entry(launch) }]),
  )
  const stdio = { type: 'stdio', ...launch }
  expect(shapes).toEqual({
    'claude-code': { mcpServers: stdio },
    cursor: { mcpServers: launch },
    opencode: { mcp: { type: 'local', command: ['/bin/og', 'mcp'], enabled: true } },
    'claude-desktop': { mcpServers: launch },
    codex: { mcp_servers: launch },
    vscode: { servers: stdio },
    gemini: { mcpServers: launch },
    windsurf: { mcpServers: launch },
    zed: { context_servers: { source: 'custom', ...launch, env: {} } },
    copilot: { mcpServers: { ...stdio, tools: ['*'] } },
    cline: { mcpServers: launch },
    kiro: { mcpServers: launch },
  })
})

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
