import { join } from 'node:path'
import { OgError } from '../platform/error.ts'
import { createTempFolder } from '../platform/files.ts'
import { run, start, type Child } from '../platform/subprocess.ts'
import { checkRepositoryUrl } from './repository-url.ts'

export type GitOptions = {
  signal?: AbortSignal
  /** For all that is asked of the network; 10 minutes unless told. */
  timeoutMs?: number
}

/** git in an empty folder of its own, that goes with it. Each error names the repository. */
export type Git = AsyncDisposable & {
  run(args: string[], input?: string): Promise<string>
  start(args: string[]): Child
}

/**
 * git that asks nothing, runs no hook, no filter and no remote helper, reads no repository's
 * configuration, and ends in time. The user's own configuration stays: it holds the credential
 * helpers and rewritten addresses that make private repositories work.
 * @throws OgError when git is not installed, or `url` is nothing that git should be given.
 */
export async function openGit(url: string, options: GitOptions): Promise<Git> {
  checkRepositoryUrl(url)
  const folder = await createTempFolder('og-git')
  const timeoutMs = options.timeoutMs ?? 600_000
  const deadline = Date.now() + timeoutMs
  const place = { cwd: folder.path, env: environment(folder.path), signal: options.signal }
  const command = (args: string[]) => ['git', ...settings(folder.path), ...args]
  return {
    async run(args, input) {
      const leftMs = Math.max(1, deadline - Date.now())
      const ran = await run(command(args), { ...place, stdin: input ?? '', timeoutMs: leftMs })
      if (ran.timedOut) throw tookTooLong(url, timeoutMs)
      if (ran.exitCode !== 0) throw gitError(url, ran.stderr)
      return Buffer.from(ran.stdout).toString('utf8')
    },
    start: (args) => start(command(args), place),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

/** Never a password or token: messages end up in logs. */
export function shownUrl(url: string): string {
  return url.replace(/^(https?:\/\/)[^/]*@/i, '$1').replace(/^(\w+:\/\/)[^/@]*:[^/@]*@/i, '$1')
}

/** What went wrong, by what git said (in English: `environment` sees to it). */
export function gitError(url: string, stderr: string): OgError {
  const shown = shownUrl(url)
  const words = stderr.replaceAll(url.replace(/\.git\/*$/, ''), '').replaceAll(shown, '')
  const found = causes.find(({ says }) => says.test(words))
  if (found) return new OgError(`Cannot read ${shown}: ${found.why}`, { hint: found.hint })
  const lines = stderr.split('\n').filter((line) => /^(fatal|error|ERROR)\b/.test(line))
  const said = lines[0]?.replace(/^\w+: /, '') ?? (stderr.trim().split('\n').at(-1) || 'git failed')
  return new OgError(`Cannot read ${shown}: ${said.replaceAll(url, shown)}`)
}

/** The first that fits: a refused login also says "Could not read from remote repository". */
const causes = [
  {
    says: /dubious ownership|safe\.directory/,
    why: 'it belongs to another user',
    hint: 'git config --global --add safe.directory PATH, if you trust its owner',
  },
  {
    says: /Host key verification failed/,
    why: 'the host key is not known',
    hint: 'connect once with ssh and accept the key',
  },
  {
    says: anyOf('could not read (Username|Password)', 'Authentication failed', 'error: 40[13]\\b',
      'terminal prompts disabled', 'Permission denied', 'Access denied'),
    why: 'the server wants to know who you are',
    hint: 'check the spelling; for a private repository set up a git credential helper or ssh key',
  },
  {
    says: anyOf('repository.*not found', 'error: 404', 'does not exist', 'not a git repository',
      'does not appear to be a git repository', 'project you were looking for'),
    why: 'there is no such repository',
    hint: undefined,
  },
  {
    says: anyOf('Could not resolve', 'Connection (refused|timed out|reset|closed)', 'unreachable',
      'Failed to connect', '(Could not|unable to) connect', 'early EOF', 'hung up',
      'Operation too slow', 'RPC failed', 'SSL (cert|conn)', 'SSL_', 'TLS (conn|handshake)',
      'gnutls_handshake'),
    why: 'the server cannot be reached, or broke off',
    hint: 'check the address and the network, then run the command again',
  },
]

function tookTooLong(url: string, timeoutMs: number): OgError {
  const shown = shownUrl(url)
  return new OgError(`Cannot read ${shown}: git took longer than ${timeoutMs / 1000} s`, {
    hint: 'run the command again, or clone the repository and add its folder',
  })
}

function anyOf(...patterns: string[]): RegExp {
  return new RegExp(patterns.join('|'), 'i')
}

/** `-c` reaches the programs that git starts, too. */
function settings(folder: string): string[] {
  const pairs = [
    `core.hooksPath=${join(folder, 'no-hooks')}`, 'core.fsmonitor=false', 'core.longpaths=true',
    'credential.interactive=false', 'submodule.recurse=false', 'fetch.recurseSubmodules=false',
    'gc.auto=0', 'maintenance.auto=false', 'fetch.writeCommitGraph=false', 'protocol.version=2',
    // A transfer that crawls is over after a minute; the deadline alone would wait for ten.
    'http.lowSpeedLimit=1000', 'http.lowSpeedTime=60',
  ]
  return pairs.flatMap((pair) => ['-c', pair])
}

/** What git in a hook or alias passes on would make our git work on that repository. */
const ofAnotherRepository = [
  'GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY', 'GIT_NAMESPACE',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_COMMON_DIR', 'GIT_PREFIX', 'GIT_SHALLOW_FILE',
  'GIT_TEMPLATE_DIR', 'SSH_ASKPASS',
]

function environment(folder: string): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) =>
    !ofAnotherRepository.includes(name))
  const own = {
    GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '', SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never', GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
    GIT_LFS_SKIP_SMUDGE: '1', GIT_CEILING_DIRECTORIES: join(folder, '..'),
    LC_ALL: 'C', LANGUAGE: '',
  }
  return { ...Object.fromEntries(inherited), ...own } as Record<string, string>
}
