import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { runProgram } from '../../platform/subprocess.ts'
import type { RegistryKind } from './package-name.ts'
import type { Surroundings } from './registry.ts'

/**
 * The registry that a package manager uses if no setting names one. og has no built-in URL, so it
 * asks the client.
 * @throws OgError if the client is not installed, or names no registry
 */
export async function defaultRegistryUrl(
  kind: RegistryKind,
  around: Pick<Surroundings, 'env' | 'home'>,
): Promise<string> {
  const { client, command, hint } = clients[kind]
  const address = command === null ? await cargoRegistry(around) : await answerOf(command, around)
  if (address !== null && /^(?:sparse\+)?https?:\/\/\S+$/.test(address)) return address
  throw new OgError(`Cannot tell where the registry is: no setting names one, nor does ${client}`, {
    hint: `${hint}, or name a source with --source`,
  })
}

const pipIndex = 'from pip._internal.models.index import PyPI; print(PyPI.simple_url)'

const clients: Record<RegistryKind, { client: string; command: string[] | null; hint: string }> = {
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
    command: null,
    hint: 'name one as source.crates-io.replace-with in ~/.cargo/config.toml',
  },
  go: { client: 'go', command: ['go', 'env', 'GOPROXY'], hint: 'set GOPROXY' },
}

const patienceMs = 20_000

/**
 * The output of a client. The client runs in the home folder, so that no project's settings apply.
 * Null if the client is not installed or failed.
 */
async function answerOf(
  [client = '', ...args]: string[],
  { env, home }: Pick<Surroundings, 'env' | 'home'>,
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
 * The registry that cargo uses. cargo has no command that prints it, but it names the folder of an
 * index after the index's host: `index.HOST-HASH`.
 */
async function cargoRegistry({
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
