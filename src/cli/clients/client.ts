import { join } from 'node:path'
import type { Environment } from '../../config/load.ts'
import { userHome } from '../../config/paths.ts'

export type LaunchCommand = { command: string; args: readonly string[] }

export type Machine = { env: Environment; platform: NodeJS.Platform; cwd: string }

export type Client = {
  name: string
  title: string
  /** `json` allows comments and trailing commas. */
  format: 'json' | 'toml'
  section: string
  /** Absolute paths. The first file that exists is used; if none does, the first path. */
  userFiles(machine: Machine): readonly string[]
  projectFiles: readonly string[]
  entry(launch: LaunchCommand): Record<string, unknown>
  skills?: { user(machine: Machine): string; project: string }
  after: string
}

/**
 * Every client that `og install-mcp` supports. Paths and formats of clients are defined only here.
 */
export const clients: readonly Client[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    format: 'json',
    section: 'mcpServers',
    userFiles: ({ env }) => [join(env.CLAUDE_CONFIG_DIR || userHome(env), '.claude.json')],
    projectFiles: ['.mcp.json'],
    entry: (launch) => ({ type: 'stdio', ...plain(launch) }),
    skills: {
      user: ({ env }) => join(env.CLAUDE_CONFIG_DIR || join(userHome(env), '.claude'), 'skills'),
      project: '.claude/skills',
    },
    after: 'start a new session of Claude Code',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    format: 'json',
    section: 'mcpServers',
    userFiles: ({ env }) => [join(userHome(env), '.cursor', 'mcp.json')],
    projectFiles: ['.cursor/mcp.json'],
    entry: plain,
    skills: {
      user: ({ env }) => join(userHome(env), '.cursor', 'skills'),
      project: '.cursor/skills',
    },
    after: 'restart Cursor',
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    format: 'json',
    section: 'mcp',
    userFiles: ({ env }) =>
      ['opencode.json', 'opencode.jsonc'].map((name) => join(xdgConfig(env), 'opencode', name)),
    projectFiles: ['opencode.json', 'opencode.jsonc'],
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
    skills: {
      user: ({ env }) => join(xdgConfig(env), 'opencode', 'skills'),
      project: '.opencode/skills',
    },
    after: 'restart OpenCode',
  },
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    format: 'json',
    section: 'mcpServers',
    userFiles: (machine) => [appFile(machine, 'Claude', 'claude_desktop_config.json')],
    projectFiles: [],
    entry: plain,
    after: 'quit Claude Desktop and start it again',
  },
  {
    name: 'codex',
    title: 'Codex',
    format: 'toml',
    section: 'mcp_servers',
    userFiles: ({ env }) => [join(env.CODEX_HOME || join(userHome(env), '.codex'), 'config.toml')],
    projectFiles: ['.codex/config.toml'],
    entry: plain,
    skills: {
      user: ({ env }) => join(env.CODEX_HOME || join(userHome(env), '.codex'), 'skills'),
      project: '.agents/skills',
    },
    after: 'start a new session of Codex; it reads the file of a project only where you trust it',
  },
  {
    name: 'vscode',
    title: 'VS Code',
    format: 'json',
    section: 'servers',
    userFiles: (machine) => [appFile(machine, 'Code', 'User', 'mcp.json')],
    projectFiles: ['.vscode/mcp.json'],
    entry: (launch) => ({ type: 'stdio', ...plain(launch) }),
    skills: {
      user: ({ env }) => join(userHome(env), '.copilot', 'skills'),
      project: '.github/skills',
    },
    after: 'start the server from "MCP: List Servers", or reload the window',
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    format: 'json',
    section: 'mcpServers',
    userFiles: ({ env }) => [join(userHome(env), '.gemini', 'settings.json')],
    projectFiles: ['.gemini/settings.json'],
    entry: plain,
    skills: {
      user: ({ env }) => join(userHome(env), '.gemini', 'skills'),
      project: '.gemini/skills',
    },
    after:
      'restart Gemini CLI; in a folder that you have not trusted it ignores the file of a project',
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    format: 'json',
    section: 'mcpServers',
    userFiles: ({ env }) => [join(userHome(env), '.codeium', 'windsurf', 'mcp_config.json')],
    projectFiles: [],
    entry: plain,
    skills: {
      user: ({ env }) => join(userHome(env), '.codeium', 'windsurf', 'skills'),
      project: '.windsurf/skills',
    },
    after: 'press the refresh button of its MCP servers',
  },
  {
    name: 'zed',
    title: 'Zed',
    format: 'json',
    section: 'context_servers',
    userFiles: (machine) => [zedFile(machine)],
    projectFiles: ['.zed/settings.json'],
    // Releases before 2025-10 assume that an entry without `source` belongs to an extension.
    entry: (launch) => ({ source: 'custom', ...plain(launch), env: {} }),
    after: 'Zed sees it at once',
  },
  {
    name: 'copilot',
    title: 'GitHub Copilot CLI',
    format: 'json',
    section: 'mcpServers',
    userFiles: ({ env }) => [join(copilotHome(env), 'mcp-config.json')],
    projectFiles: ['.github/mcp.json'],
    entry: (launch) => ({ type: 'stdio', ...plain(launch), tools: ['*'] }),
    skills: { user: ({ env }) => join(copilotHome(env), 'skills'), project: '.github/skills' },
    after:
      'start a new session of Copilot CLI; it reads the file of a project only where you trust it',
  },
  {
    name: 'cline',
    title: 'Cline',
    format: 'json',
    section: 'mcpServers',
    userFiles: ({ env }) => [
      env.CLINE_MCP_SETTINGS_PATH ||
        join(
          env.CLINE_DATA_DIR || join(clineHome(env), 'data'),
          ...['settings', 'cline_mcp_settings.json'],
        ),
    ],
    projectFiles: [],
    entry: plain,
    skills: { user: ({ env }) => join(clineHome(env), 'skills'), project: '.cline/skills' },
    after: 'start a new task in Cline',
  },
  {
    name: 'kiro',
    title: 'Kiro',
    format: 'json',
    section: 'mcpServers',
    userFiles: ({ env }) => [join(userHome(env), '.kiro', 'settings', 'mcp.json')],
    projectFiles: ['.kiro/settings/mcp.json'],
    entry: plain,
    skills: { user: ({ env }) => join(userHome(env), '.kiro', 'skills'), project: '.kiro/skills' },
    after: 'Kiro sees it at once; start a new session of Kiro CLI',
  },
]

function plain({ command, args }: LaunchCommand): Record<string, unknown> {
  return { command, args: [...args] }
}

function copilotHome(env: Environment): string {
  return env.COPILOT_HOME || join(userHome(env), '.copilot')
}

function clineHome(env: Environment): string {
  return env.CLINE_DIR || join(userHome(env), '.cline')
}

function xdgConfig(env: Environment): string {
  return env.XDG_CONFIG_HOME || join(userHome(env), '.config')
}

function roaming(env: Environment): string {
  return env.APPDATA || join(userHome(env), 'AppData', 'Roaming')
}

function appFile({ env, platform }: Machine, ...names: string[]): string {
  if (platform === 'win32') return join(roaming(env), ...names)
  if (platform === 'darwin') {
    return join(userHome(env), 'Library', 'Application Support', ...names)
  }
  return join(xdgConfig(env), ...names)
}

/** On macOS, Zed uses the same folder as on Linux. */
function zedFile({ env, platform }: Machine): string {
  const folder = platform === 'win32' ? join(roaming(env), 'Zed') : join(xdgConfig(env), 'zed')
  return join(folder, 'settings.json')
}
