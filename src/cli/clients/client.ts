import { join } from 'node:path'
import type { Environment } from '../../config/env.ts'
import { userHome } from '../../config/paths.ts'

/** How a client starts og: an absolute path and its arguments. */
export type Launch = { command: string; args: readonly string[] }

/** A machine as far as paths depend on it; `cwd` is the project. */
export type Machine = { env: Environment; platform: NodeJS.Platform; cwd: string }

/** A program that starts MCP servers, and the file in which it looks for them. */
export type Client = {
  /** The option of `og install-mcp`. */
  name: string
  title: string
  /** `json` may hold comments and trailing commas. */
  format: 'json' | 'toml'
  /** The key of the file under which servers stand by name. */
  section: string
  /** Absolute; the first one that exists is meant, else the first. */
  userFiles(machine: Machine): readonly string[]
  /** Below the project's folder, likewise; none where the client has no such file. */
  projectFiles: readonly string[]
  entry(launch: Launch): Record<string, unknown>
  /** Where it reads Agent Skills from disk, as `NAME/SKILL.md`; absent: it does not. */
  skills?: { user(machine: Machine): string; project: string }
  /** What makes the client see the change. */
  after: string
}

/** Every client that `og install-mcp` knows: the one place that knows their files and shapes. */
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
    after: 'restart Gemini CLI',
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
    // Releases before 2025-10 take an entry without `source` for one of an extension.
    entry: (launch) => ({ source: 'custom', ...plain(launch), env: {} }),
    after: 'Zed sees it at once',
  },
]

function plain({ command, args }: Launch): Record<string, unknown> {
  return { command, args: [...args] }
}

function xdgConfig(env: Environment): string {
  return env.XDG_CONFIG_HOME || join(userHome(env), '.config')
}

function roaming(env: Environment): string {
  return env.APPDATA || join(userHome(env), 'AppData', 'Roaming')
}

/** Where programs built on Electron keep their settings. */
function appFile({ env, platform }: Machine, ...names: string[]): string {
  if (platform === 'win32') return join(roaming(env), ...names)
  if (platform === 'darwin') {
    return join(userHome(env), 'Library', 'Application Support', ...names)
  }
  return join(xdgConfig(env), ...names)
}

/** On macOS Zed reads the same folder as on Linux. */
function zedFile({ env, platform }: Machine): string {
  const folder = platform === 'win32' ? join(roaming(env), 'Zed') : join(xdgConfig(env), 'zed')
  return join(folder, 'settings.json')
}
