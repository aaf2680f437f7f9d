import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OgError, type ErrorCode } from '../../platform/error.ts'
import { createTempFolder } from '../../platform/file/files.ts'
import { runProgram, startProgram, type Child, type RunResult } from '../../platform/subprocess.ts'
import { trace } from '../../platform/trace.ts'
import type { GitRoute, RouteOptions } from './git-route.ts'
import { checkRepositoryUrl, isOnDisk, withoutCredentials } from './repository-url.ts'

export type GitOptions = RouteOptions & {
  signal?: AbortSignal
  /** Time limit for all git commands together, 10 minutes by default. */
  timeoutMs?: number
}

/**
 * git in an empty temporary folder, which disposal removes. The remote `origin` is the repository,
 * and each error names it.
 */
export type Git = AsyncDisposable & {
  run(args: string[], input?: string): Promise<string>
  start(args: string[]): Child
}

/**
 * Opens git so that it shows no prompts, runs no hooks, filters or remote helpers, ignores the
 * configuration of repositories, and has a time limit. The user's own configuration applies because
 * private repositories need its credential helpers and URL rewriting.
 * @throws OgError if git is not installed, or `url` must not be passed to git
 */
export async function openGit(url: string, options: GitOptions): Promise<Git> {
  checkRepositoryUrl(url)
  await using stack = new AsyncDisposableStack()
  const { path: cwd } = stack.use(await createTempFolder('og-git'))
  const timeoutMs = options.timeoutMs ?? 600_000
  const place = { cwd, signal: options.signal, deadline: Date.now() + timeoutMs }
  const ask = async (args: string[]) => {
    const ran = await runOnce(place, { url, settings: [], protocols: '' }, { args })
    return ran.exitCode === 0 ? Buffer.from(ran.stdout).toString('utf8') : null
  }
  // Imported only when a repository is read, so that searches do not load the code for URLs.
  const { openGitGuide } = await import('./git-route.ts')
  const guide = openGitGuide(url, options, ask)
  let route = await guide.first()
  const resources = stack.move()
  return {
    async run(args, input) {
      for (let nRedirects = 0; ; nRedirects++) {
        const ran = await runOnce(place, route, { args, input })
        if (ran.timedOut) throw tookTooLong(url, timeoutMs)
        if (ran.exitCode === 0) return Buffer.from(ran.stdout).toString('utf8')
        const location = isRedirect(ran) ? await redirectOf(place, route) : null
        if (location === null) throw gitError(route.url, ran.stderr)
        if (nRedirects === maxRedirects) throw tooManyRedirects(url)
        route = await guide.followRedirect(route, location)
      }
    },
    start: (args) => startProgram(command(place, route, args), spawnOptions(place, route)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** git in an empty temporary folder, which disposal removes. It cannot access any repository. */
export type OfflineGit = AsyncDisposable & {
  folder: string
  run(args: string[], env?: Record<string, string>): Promise<RunResult>
}

/**
 * Opens git for a local repository whose configuration may be hostile. Refuses all transports,
 * because fetching a missing object can start a program that the repository configures.
 * @throws OgError if git is not installed
 */
export async function openOfflineGit(options: GitOptions): Promise<OfflineGit> {
  const temp = await createTempFolder('og-git')
  const cwd = temp.path
  const timeoutMs = options.timeoutMs ?? 600_000
  const place = { cwd, signal: options.signal, deadline: Date.now() + timeoutMs }
  return {
    folder: cwd,
    run: (args, env) => runOnce(place, offline, { args, env }),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  }
}

const offline: GitRoute = { url: '', settings: [], protocols: '' }

const maxRedirects = 10

type Workplace = { cwd: string; signal: AbortSignal | undefined; deadline: number }
type Command = { args: string[]; input?: string; env?: Record<string, string> | undefined }

async function runOnce(
  place: Workplace,
  route: GitRoute,
  { args, input, env }: Command,
): Promise<RunResult> {
  const started = performance.now()
  const { env: ownEnv, ...where } = spawnOptions(place, route)
  const ran = await runProgram(command(place, route, args), {
    ...where,
    env: { ...ownEnv, ...env },
    stdin: input ?? '',
    timeoutMs: Math.max(1, place.deadline - Date.now()),
  })
  // The URL is not in `args` because it may contain a password.
  const ms = Math.round(performance.now() - started)
  trace(`run git ${args.join(' ')}`, { exitCode: ran.exitCode, ms })
  return ran
}

function command({ cwd }: Workplace, route: GitRoute, args: string[]): string[] {
  const remote = route.url === '' ? [] : [`remote.origin.url=${route.url}`]
  const own = [...settings(cwd), ...route.settings, ...remote]
  return ['git', ...own.flatMap((pair) => ['-c', pair]), ...args]
}

function spawnOptions({ cwd, signal }: Workplace, { protocols }: GitRoute) {
  return { cwd, signal, env: { ...environment(cwd), GIT_ALLOW_PROTOCOL: protocols } }
}

function isRedirect({ stderr }: RunResult): boolean {
  return /returned error: 30[12378]\b/.test(stderr)
}

/**
 * Reads the redirect target of git's first request from git's own trace. git uses its own proxy and
 * certificates, so og cannot send this request itself.
 */
async function redirectOf(place: Workplace, route: GitRoute): Promise<string | null> {
  const trace = join(place.cwd, 'trace')
  const env = { GIT_TRACE_CURL: trace, GIT_TRACE_CURL_NO_DATA: '1' }
  await runOnce(place, route, { args: ['ls-remote', 'origin', 'HEAD'], env })
  // Without a trace, git's message about the redirect is the error.
  const heard = await readFile(trace, 'utf8').catch(() => '')
  const last = [...heard.matchAll(/<= recv header: location: *([^\r\n]*)/gi)].at(-1)
  return last?.[1]?.trim() || null
}

/** Returns the error for a failed git command. `environment` keeps git's messages in English. */
export function gitError(url: string, stderr: string): OgError {
  const safeUrl = withoutCredentials(url)
  const words = stderr.replaceAll(url.replace(/\.git\/*$/, ''), '').replaceAll(safeUrl, '')
  const isHere = isOnDisk(url)
  if (isHere && missingObjects.test(words)) return incompleteRepository(safeUrl)
  const cause = causes.find(({ pattern }) => pattern.test(words))
  if (cause) {
    const { why, hint, code } = cause
    return new OgError(`Cannot read ${safeUrl}: ${why}`, { hint, code })
  }
  const lines = stderr.split('\n').filter((line) => /^(fatal|error|ERROR)\b/.test(line))
  const message =
    lines[0]?.replace(/^\w+: /, '') ?? (stderr.trim().split('\n').at(-1) || 'git failed')
  return new OgError(`Cannot read ${safeUrl}: ${message.replaceAll(url, safeUrl)}`)
}

/**
 * Known causes. The first match wins, because git's message for a refused login also contains
 * "Could not read from remote repository".
 */
const causes: { pattern: RegExp; why: string; hint?: string; code?: ErrorCode }[] = [
  {
    pattern: /dubious ownership|safe\.directory/,
    why: 'it belongs to another user',
    hint: 'git config --global --add safe.directory PATH, if you trust its owner',
  },
  {
    pattern: /Host key verification failed/,
    why: 'the host key is not known',
    hint: 'connect once with ssh and accept the key',
  },
  {
    pattern: anyOf(
      'could not read (Username|Password)',
      'Authentication failed',
      'error: 40[13]\\b',
      'terminal prompts disabled',
      'Permission denied',
      'Access denied',
    ),
    why: 'the server asks for credentials',
    hint: 'check the spelling; for a private repository set up a git credential helper or ssh key',
  },
  {
    pattern: anyOf(
      'repository.*not found',
      'error: 404',
      'does not exist',
      'not a git repository',
      'does not appear to be a git repository',
      'project you were looking for',
    ),
    why: 'there is no such repository',
  },
  {
    pattern: anyOf(
      'Could not resolve',
      'Connection (refused|timed out|reset|closed)',
      'unreachable',
      'Failed to connect',
      '(Could not|unable to) connect',
      'early EOF',
      'hung up',
      'Operation too slow',
      'RPC failed',
      'SSL (cert|conn)',
      'SSL_',
      'TLS (conn|handshake)',
      'gnutls_handshake',
      'CONNECT tunnel failed',
      'from proxy after CONNECT',
      'error: (429|5\\d\\d)\\b',
    ),
    code: 'unreachable',
    why: 'the server cannot be reached, or closed the connection',
    hint: 'check the address and the network, then run the command again',
  },
]

/** In a local repository, git stops only if objects of its refs are missing. */
const missingObjects = anyOf(
  'pack-objects died',
  'not our ref',
  'unable to (read|parse)',
  'could not (parse|fetch)',
  'missing (blob|tree|commit|object)',
  'bad (object|tree|revision)',
  'early EOF',
  'hung up',
  'promisor remote',
  'lazy fetching',
)

function incompleteRepository(safeUrl: string): OgError {
  return new OgError(`Cannot read ${safeUrl}: the repository lacks objects of that version`, {
    hint:
      'for a shallow clone: git fetch --unshallow --tags; for a partial clone: git fetch ' +
      '--refetch; otherwise git fsck reports the damage',
  })
}

function tookTooLong(url: string, timeoutMs: number): OgError {
  const safeUrl = withoutCredentials(url)
  return new OgError(`Cannot read ${safeUrl}: git took longer than ${timeoutMs / 1000} s`, {
    code: 'unreachable',
    hint: 'run the command again, or clone the repository and add its folder',
  })
}

function anyOf(...patterns: string[]): RegExp {
  return new RegExp(patterns.join('|'), 'i')
}

function tooManyRedirects(url: string): OgError {
  return new OgError(`Cannot read ${withoutCredentials(url)}: more than ${maxRedirects} redirects`)
}

/** Settings passed as `-c`, which programs started by git inherit. */
function settings(folder: string): string[] {
  return [
    `core.hooksPath=${join(folder, 'no-hooks')}`,
    'core.fsmonitor=false',
    'core.longpaths=true',
    'credential.interactive=false',
    'submodule.recurse=false',
    'fetch.recurseSubmodules=false',
    'gc.auto=0',
    'maintenance.auto=false',
    'fetch.writeCommitGraph=false',
    'protocol.version=2',
    // A transfer below 1000 bytes/s stops after a minute. The deadline alone would allow ten
    // minutes.
    'http.lowSpeedLimit=1000',
    'http.lowSpeedTime=60',
    // Servers may not redirect git to other URLs because og would not check them.
    'transfer.bundleURI=false',
    'fetch.uriProtocols=',
  ]
}

/**
 * Environment variables that git does not get. A git hook or alias that runs og sets them, and they
 * would direct our git to its repository.
 */
const ofAnotherRepository = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_NAMESPACE',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_PREFIX',
  'GIT_SHALLOW_FILE',
  'GIT_TEMPLATE_DIR',
  'SSH_ASKPASS',
]

function environment(folder: string): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !ofAnotherRepository.includes(name),
  )
  const own = {
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_CEILING_DIRECTORIES: join(folder, '..'),
    LC_ALL: 'C',
    LANGUAGE: '',
  }
  return { ...Object.fromEntries(inherited), ...own } as Record<string, string>
}
