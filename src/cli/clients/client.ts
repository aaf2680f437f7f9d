import { join, isAbsolute } from 'node:path'
import type { Environment } from '../../config/load.ts'
import { userHome } from '../../config/paths.ts'
import { realpathSync } from 'node:fs'
import { bundledNatives } from '../../platform/native/bundled.ts'
import { OgError } from '../../platform/error.ts'
import { didYouMean } from '../../platform/text/nearest.ts'
import { jsonText } from '../../platform/json.ts'
import { serverEntries, type ServerEntry } from './install.ts'

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

/**
 * Returns the command that starts this program: the executable, or bun with the main file during
 * development.
 */
export function ownLaunchCommand(args: readonly string[]): LaunchCommand {
  const own = bundledNatives === null ? [Bun.main] : []
  return { command: process.execPath, args: [...own, ...args] }
}

/**
 * The command for the settings of a client. If `og` on the PATH is this executable, its path there
 * is used, because a package manager replaces the target of that link with each version.
 */
export function installedLaunchCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): LaunchCommand {
  const own = ownLaunchCommand(args)
  const found = bundledNatives === null ? null : Bun.which('og', { PATH: env.PATH ?? '' })
  const isOwn = found !== null && isAbsolute(found) && realPath(found) === realPath(own.command)
  return isOwn ? { ...own, command: found } : own
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

/** Wraps the command for a client on Windows that starts a program inside WSL. */
export function wrapInWsl({ command, args }: LaunchCommand): LaunchCommand {
  return { command: 'wsl.exe', args: [command, ...args] }
}

export async function configSnippet(
  client: Client,
  launch: LaunchCommand,
  { name }: ServerEntry = serverEntries.documentation,
): Promise<string> {
  const content = { [client.section]: { [name]: client.entry(launch) } }
  if (client.format === 'json') return jsonText(content)
  const { stringify } = await import('smol-toml')
  return `${stringify(content).trimEnd()}\n`
}

export function findClient(name: string): Client {
  const names = clients.map((client) => client.name)
  const client = clients.find((client) => client.name === name.toLowerCase())
  if (client !== undefined) return client
  throw new OgError(`Unknown client "${name}"`, {
    hint: didYouMean(name, names) || `it is one of ${names.join(', ')}`,
  })
}
