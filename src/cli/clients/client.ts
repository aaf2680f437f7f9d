import { join, isAbsolute } from 'node:path'
import { userHome, type Environment } from '../../config/paths.ts'
import { realpathSync } from 'node:fs'
import { bundledNatives } from '../../platform/native/bundled.ts'
import { OgError } from '../../platform/error.ts'
import { didYouMean } from '../../platform/text/nearest.ts'

export type LaunchCommand = { command: string; args: readonly string[] }

export type Machine = { env: Environment; platform: NodeJS.Platform; cwd: string }

export type Client = {
  name: string
  title: string
  /** `json` can contain comments and trailing commas. */
  format: 'json' | 'toml'
  section: string
  /**
   * Each path starts with a key of `folders`. The first existing file is used, or else the first
   * path.
   */
  files: readonly string[]
  projectFiles: readonly string[]
  entry(launch: LaunchCommand): Record<string, unknown>
  /** The folders for skills: the user's and the project's. */
  skills?: readonly [user: string, project: string]
  after: string
}

/** The base folders of client files. */
const folders: Readonly<Record<string, (machine: Machine) => string>> = {
  '~': ({ env }) => userHome(env),
  CONFIG: ({ env }) => xdgConfig(env),
  APP: appFolder,
  /** On macOS, Zed uses the same folder as on Linux. */
  ZED: ({ env, platform }) =>
    platform === 'win32' ? join(roaming(env), 'Zed') : join(xdgConfig(env), 'zed'),
  CLAUDE_JSON: ({ env }) => env.CLAUDE_CONFIG_DIR || userHome(env),
  CLAUDE: ({ env }) => env.CLAUDE_CONFIG_DIR || join(userHome(env), '.claude'),
  CODEX: ({ env }) => env.CODEX_HOME || join(userHome(env), '.codex'),
  COPILOT: ({ env }) => env.COPILOT_HOME || join(userHome(env), '.copilot'),
  CLINE: ({ env }) => clineHome(env),
  CLINE_SETTINGS: ({ env }) =>
    env.CLINE_MCP_SETTINGS_PATH ||
    join(
      env.CLINE_DATA_DIR || join(clineHome(env), 'data'),
      ...['settings', 'cline_mcp_settings.json'],
    ),
}

/** Expands `FOLDER/NAME` to an absolute path. */
export function machinePath(machine: Machine, place: string): string {
  const [folder = '', ...names] = place.split('/')
  return join(folders[folder]!(machine), ...names)
}

/** All paths and formats of clients. */
const rows: readonly (Omit<Client, 'format' | 'section' | 'entry'> & Partial<Client>)[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    files: ['CLAUDE_JSON/.claude.json'],
    projectFiles: ['.mcp.json'],
    entry: (launch) => ({ type: 'stdio', ...plain(launch) }),
    skills: ['CLAUDE/skills', '.claude/skills'],
    after: 'start a new session of Claude Code',
  },
  {
    name: 'cursor',
    title: 'Cursor',
    files: ['~/.cursor/mcp.json'],
    projectFiles: ['.cursor/mcp.json'],
    skills: ['~/.cursor/skills', '.cursor/skills'],
    after: 'restart Cursor',
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    section: 'mcp',
    files: ['CONFIG/opencode/opencode.json', 'CONFIG/opencode/opencode.jsonc'],
    projectFiles: ['opencode.json', 'opencode.jsonc'],
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
    skills: ['CONFIG/opencode/skills', '.opencode/skills'],
    after: 'restart OpenCode',
  },
  {
    name: 'claude-desktop',
    title: 'Claude Desktop',
    files: ['APP/Claude/claude_desktop_config.json'],
    projectFiles: [],
    after: 'quit Claude Desktop and start it again',
  },
  {
    name: 'codex',
    title: 'Codex',
    format: 'toml',
    section: 'mcp_servers',
    files: ['CODEX/config.toml'],
    projectFiles: ['.codex/config.toml'],
    skills: ['CODEX/skills', '.agents/skills'],
    after: 'start a new session of Codex; it reads the file of a project only where you trust it',
  },
  {
    name: 'vscode',
    title: 'VS Code',
    section: 'servers',
    files: ['APP/Code/User/mcp.json'],
    projectFiles: ['.vscode/mcp.json'],
    entry: (launch) => ({ type: 'stdio', ...plain(launch) }),
    skills: ['~/.copilot/skills', '.github/skills'],
    after: 'start the server from "MCP: List Servers", or reload the window',
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    files: ['~/.gemini/settings.json'],
    projectFiles: ['.gemini/settings.json'],
    skills: ['~/.gemini/skills', '.gemini/skills'],
    after:
      'restart Gemini CLI; in a folder that you have not trusted it ignores the file of a project',
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    files: ['~/.codeium/windsurf/mcp_config.json'],
    projectFiles: [],
    skills: ['~/.codeium/windsurf/skills', '.windsurf/skills'],
    after: 'press the refresh button of its MCP servers',
  },
  {
    name: 'zed',
    title: 'Zed',
    section: 'context_servers',
    files: ['ZED/settings.json'],
    projectFiles: ['.zed/settings.json'],
    // Releases before 2025-10 treat an entry without `source` as part of an extension.
    entry: (launch) => ({ source: 'custom', ...plain(launch), env: {} }),
    after: 'Zed applies it immediately',
  },
  {
    name: 'copilot',
    title: 'GitHub Copilot CLI',
    files: ['COPILOT/mcp-config.json'],
    projectFiles: ['.github/mcp.json'],
    entry: (launch) => ({ type: 'stdio', ...plain(launch), tools: ['*'] }),
    skills: ['COPILOT/skills', '.github/skills'],
    after:
      'start a new session of Copilot CLI; it reads the file of a project only where you trust it',
  },
  {
    name: 'cline',
    title: 'Cline',
    files: ['CLINE_SETTINGS'],
    projectFiles: [],
    skills: ['CLINE/skills', '.cline/skills'],
    after: 'start a new task in Cline',
  },
  {
    name: 'kiro',
    title: 'Kiro',
    files: ['~/.kiro/settings/mcp.json'],
    projectFiles: ['.kiro/settings/mcp.json'],
    skills: ['~/.kiro/skills', '.kiro/skills'],
    after: 'Kiro applies it immediately; start a new session of Kiro CLI',
  },
]

function plain({ command, args }: LaunchCommand): Record<string, unknown> {
  return { command, args: [...args] }
}

export const clients = rows.map(
  (row): Client => ({ format: 'json', section: 'mcpServers', entry: plain, ...row }),
)

function clineHome(env: Environment): string {
  return env.CLINE_DIR || join(userHome(env), '.cline')
}

function xdgConfig(env: Environment): string {
  return env.XDG_CONFIG_HOME || join(userHome(env), '.config')
}

function roaming(env: Environment): string {
  return env.APPDATA || join(userHome(env), 'AppData', 'Roaming')
}

function appFolder({ env, platform }: Machine): string {
  if (platform === 'win32') return roaming(env)
  if (platform === 'darwin') return join(userHome(env), 'Library', 'Application Support')
  return xdgConfig(env)
}

/**
 * Returns the command that starts this program: the executable or, during development, bun with the
 * main file.
 */
export function ownLaunchCommand(args: readonly string[]): LaunchCommand {
  const own = bundledNatives === null ? [Bun.main] : []
  return { command: process.execPath, args: [...own, ...args] }
}

/**
 * Returns the command for a client's settings. If `og` on the PATH is a link to this executable,
 * uses the link, because a package manager changes its target with each version.
 */
export function installedLaunchCommand(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): LaunchCommand {
  const own = ownLaunchCommand(args)
  const onPath = bundledNatives === null ? null : Bun.which('og', { PATH: env.PATH ?? '' })
  const isOwn = onPath !== null && isAbsolute(onPath) && realPath(onPath) === realPath(own.command)
  return isOwn ? { ...own, command: onPath } : own
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

/** Wraps the command for a Windows client that starts a program in WSL. */
export function wrapInWsl({ command, args }: LaunchCommand): LaunchCommand {
  return { command: 'wsl.exe', args: [command, ...args] }
}

export function findClient(name: string): Client {
  const names = clients.map((client) => client.name)
  const client = clients.find((client) => client.name === name.toLowerCase())
  if (client !== undefined) return client
  throw new OgError(`Unknown client "${name}"`, {
    hint: didYouMean(name, names) || `it is one of ${names.join(', ')}`,
  })
}
