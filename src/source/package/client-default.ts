import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { runProgram } from '../../platform/subprocess.ts'
import type { RegistryKind } from '../../version/package-name.ts'
import type { Surroundings } from './registry.ts'

/**
 * Returns the registry that a package manager uses by default. og has no built-in URL, so it runs
 * the client.
 * @throws OgError if the client is not installed, or names no registry
 */
export async function defaultRegistryUrl(
  kind: RegistryKind,
  { setting, ...around }: Pick<Surroundings, 'env' | 'home'> & { setting?: string },
): Promise<string> {
  const { client, command, hint } = clients[kind]
  const words = setting === undefined ? command : [...command.slice(0, -1), setting]
  const answer = await (finders[kind] ?? answerOf)(around, words)
  const address = answer === null ? undefined : urlIn(answer.replaceAll('\\/', '/'))
  if (address !== undefined) return address
  throw new OgError(`Cannot tell where the registry is: no setting names one, nor does ${client}`, {
    hint: `${hint}, or name a source with --source`,
  })
}

const pipIndex = 'from pip._internal.models.index import PyPI; print(PyPI.simple_url)'

type Client = {
  client: string
  /** Prints the registry. Empty if the client has no such command. */
  command: readonly string[]
  hint: string
}

const clients: Record<RegistryKind, Client> = {
  npm: {
    client: 'npm',
    command: ['npm', 'config', 'get', 'registry'],
    hint: 'run: npm config set registry ADDRESS',
  },
  pypi: {
    client: 'pip',
    // `-I` prevents Python from loading code from the current folder.
    command: ['python3', '-I', '-c', pipIndex],
    hint: 'set PIP_INDEX_URL',
  },
  crates: {
    client: 'cargo',
    command: [],
    hint:
      'run "cargo search cargo" once, or name one as source.crates-io.replace-with ' +
      'in ~/.cargo/config.toml',
  },
  go: { client: 'go', command: ['go', 'env', 'GOPROXY'], hint: 'set GOPROXY' },
  maven: { client: 'mvn', command: [], hint: 'name a mirror of "central" in ~/.m2/settings.xml' },
  rubygems: {
    client: 'gem',
    command: ['gem', 'sources', '--list'],
    hint: 'name one below ":sources:" in ~/.gemrc',
  },
  packagist: {
    client: 'composer',
    command: ['composer', 'config', '--global', 'repositories'],
    hint: 'name one in the config.json of composer',
  },
  hex: {
    client: 'mix',
    command: ['mix', 'hex.config', 'api_url'],
    hint: 'set HEX_API_URL and HEX_MIRROR',
  },
  nuget: {
    client: 'dotnet',
    command: ['dotnet', 'nuget', 'list', 'source', '--format', 'short'],
    hint: 'name one in ~/.nuget/NuGet/NuGet.Config',
  },
}

/** Returns the first address in a client's output. `go env GOPROXY` prints a list. */
function urlIn(answer: string): string | undefined {
  const lists = /^(?:sparse\+)?https?:\/\/\S+$/.exec(answer)?.[0]
  return lists ?? /https?:\/\/[^\s"']+/.exec(answer)?.[0]
}

const patienceMs = 20_000

/**
 * Returns a client's output. The client runs in the home folder, so that no project's settings
 * apply. Returns null if the client is not installed or failed.
 */
async function answerOf(
  { env, home }: Pick<Surroundings, 'env' | 'home'>,
  [client = '', ...args]: readonly string[],
): Promise<string | null> {
  const path = Bun.which(client, { PATH: env.PATH ?? '' })
  if (path === null) return null
  const own = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ) as Record<string, string>
  const ran = await runProgram([path, ...args], { cwd: home, env: own, timeoutMs: patienceMs })
  return ran.exitCode === 0 ? Buffer.from(ran.stdout).toString().trim() : null
}

/**
 * Returns the registry that cargo uses. cargo has no command that prints it, but it names the
 * folder of an index after the index's host: `index.HOST-HASH`. If cargo has never been used, a
 * search creates the folder.
 */
async function cargoRegistry(around: Pick<Surroundings, 'env' | 'home'>): Promise<string | null> {
  const index = await cargoIndex(around)
  if (index !== null) return index
  await answerOf(around, ['cargo', 'search', '--limit', '1', 'cargo'])
  return cargoIndex(around)
}

async function cargoIndex({
  env,
  home,
}: Pick<Surroundings, 'env' | 'home'>): Promise<string | null> {
  const folder = join(env.CARGO_HOME || join(home, '.cargo'), 'registry', 'index')
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  })
  const hosts = names.flatMap((name) => /^(index\.[a-z0-9.-]+)-[0-9a-f]{16}$/.exec(name)?.[1] ?? [])
  return hosts.length === 1 ? `sparse+https://${hosts[0]}/` : null
}

/** Finds the registry of a client without such a command. */
const finders: Partial<Record<RegistryKind, typeof answerOf>> = {
  crates: cargoRegistry,
  async maven({ env }) {
    const { builtInMavenRepository } = await import('./maven.ts')
    return builtInMavenRepository(env)
  },
}
