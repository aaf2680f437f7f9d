import { realpathSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { bundledNatives } from '../../platform/native/bundled.ts'
import { OgError } from '../../platform/error.ts'
import { didYouMean } from '../../platform/text/nearest.ts'
import { jsonText } from '../../platform/json.ts'
import { clients, type Client, type LaunchCommand } from './client.ts'
import { serverEntries, type ServerEntry } from './install.ts'

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
