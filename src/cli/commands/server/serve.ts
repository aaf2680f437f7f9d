import { loadConfig } from '../../../config/load.ts'
import { sourceNames } from '../../../library/sources/source-list.ts'
import type { HttpLimits } from '../../../mcp/http/http.ts'
import type { FaceOptions } from '../../../mcp/face.ts'
import type { Og } from '../../../open.ts'
import type { VisitorRing, Ingest, SiteMemory } from '../../../web/visit.ts'
import { type Reach, allowedHost } from '../../../platform/reach.ts'
import { waitForAbort } from '../../../platform/concurrency.ts'
import { OgError, messageOf, escapeControls } from '../../../platform/error.ts'
import { readTextFile } from '../../../platform/file/read-file.ts'
import { command, option } from '../../command.ts'
import type { Context } from '../../context.ts'
import { requestHealth, listenOptions } from './health.ts'
import { keysFileOption, selectKeysFile } from './keys.ts'
import { faceOptions } from './mcp.ts'
import type { openTeam, Team } from './team.ts'
import { expandPath } from '../../../config/paths.ts'
import { loadMemoryConfig, type MemoryConfig } from '../../../config/memory.ts'
import { isOwnClient } from '../../../platform/web/peer-user.ts'
import { listWorkspaces } from '../../memory.ts'
import { readMemoryKeys } from '../memory/memory-serve.ts'
import type { Observer } from '../../../mcp/served-call.ts'

const seconds = { type: 'whole', placeholder: 'SECONDS', min: 0, max: 3_600 } as const

export const serve = command({
  name: 'serve',
  summary: 'serve the documentation to agents over HTTP (MCP), and to people as a page',
  options: {
    host: listenOptions.host,
    port: { ...listenOptions.port, default: 4241 },
    'token-file': option.text('PATH', 'file with the token, on its first line'),
    'keys-file': { ...keysFileOption, doc: 'key file of "og keys"' },
    'allow-host': listenOptions['allow-host'],
    proxy: option.texts(
      'ADDRESS',
      'a reverse proxy (address, network or *) whose X-Forwarded-For is trusted',
    ),
    'allow-ingest': option.flag('let agents and people add and update libraries'),
    'allow-source-host': option.texts(
      'HOST[:PORT]',
      'with --allow-ingest: a private host that can be read',
    ),
    warm: option.texts(
      'LIBRARY',
      'a library, or LIBRARY@VERSION, to open before the server is ready',
      { suggest: 'library@version' },
    ),
    'stop-delay': {
      ...seconds,
      default: 0,
      doc: 'time to continue after a signal, while not ready',
    },
    'stop-limit': { ...seconds, default: 5, doc: 'time for running calls after that' },
    audit: option.text(
      'FILE',
      'log each call as a JSON line with caller, tool, library and duration; - is stderr',
    ),
    'audit-queries': option.flag('with --audit: log queries too'),
    metrics: option.flag('serve metrics for Prometheus at /metrics'),
    memory: option.flag('show memory on the page and allow changes; GROUNDMEMORY_* select it'),
    'no-page': option.flag('serve only agents'),
    health: option.flag('check the server that runs at this address'),
  },
  async run(context, { host, port, health, ...options }) {
    const hostname = host ?? '127.0.0.1'
    if (health) return await requestHealth(context, { hostname, port })
    const wish: ServeOptions = {
      hostname,
      port,
      allowedHosts: options['allow-host'],
      proxies: options.proxy,
      token: await readToken(context, options['token-file']),
      keysFile: selectKeysFile(context.env, options['keys-file']),
      ingest: ingestOf(options),
      page: pageOf(options),
      warm: options.warm,
      watched: observerOptionsOf(options),
      limits: { stopDelayMs: options['stop-delay'] * 1000, drainMs: options['stop-limit'] * 1000 },
    }
    return await serveUntilSignal(context, wish, ({ url }) => context.terminal.write(`${url}\n`))
  },
})

type ServeOptions = {
  hostname: string
  port: number
  allowedHosts: readonly string[]
  /** Proxies with a trusted X-Forwarded-For header: addresses, networks or `*`. */
  proxies?: readonly string[]
  token: string | null
  keysFile?: string | null
  ingest: { allowIngest: boolean; allowedHosts: string[] }
  page: ServedPage
  warm?: readonly string[]
  watched?: ObserverOptions
  limits?: Partial<HttpLimits>
}

type ServedPage = 'none' | 'documentation' | 'with memory' | 'with memory to read'

function pageOf(options: { memory: boolean; 'no-page': boolean }): ServedPage {
  if (!options['no-page']) return options.memory ? 'with memory' : 'documentation'
  if (options.memory) throw new OgError('Option "--memory" cannot be used with "--no-page"')
  return 'none'
}

/** Serves until a signal arrives. Calls `onReady` when the server is listening. */
export async function serveUntilSignal(
  context: Context,
  { token, ingest, page: served, warm = [], keysFile = null, watched, ...place }: ServeOptions,
  onReady: (server: { url: string }) => Promise<void>,
): Promise<number> {
  const { env, terminal } = context
  const { serveOverHttp } = await import('../../../mcp/http/http.ts')
  const { openSite } = await import('../../../mcp/http/site.ts')
  const { openFace } = await import('../../../mcp/face.ts')
  const config = await loadConfig(env)
  await using og = await context.openOg(config)
  const warn = (line: string) => terminal.note('warning', line)
  using watch = watched && (await openObservers(og, watched, { env, warn }))
  const observe = watch?.observe ?? undefined
  const usual = faceOptions(context, config, { ...ingest, isInProject: false })
  const options = { ...usual, ...(observe && { observe }) }
  await using face = openFace(og, options)
  await using memory = await memoryPart(served, { env, warn, guardSignals: context.guardSignals })
  const keys = { token, fullFace: face, options, warn }
  await using team = keysFile === null ? null : await openTeamOf(og, keysFile, keys)
  const ring = team?.page ?? null
  const page = served === 'none' ? null : await openPage(og, options, { token, memory, ring })
  const { openReadiness } = await import('../../../mcp/http/readiness.ts')
  using readiness = openReadiness(og, { libraries: warm, warn })
  const parts = { page, readiness }
  const scrape = watch?.scrape ?? null
  const heard = { ...place, warn, ...(observe && { observe }) }
  const server =
    team === null
      ? serveOverHttp(openSite(face, token, { ...parts, metrics: scrape }), heard)
      : serveOverHttp({ ...team.site, ...parts, metrics: team.metricsOf(scrape) }, heard)
  const end = waitForAbort(context.gracefulStop(server.stopMs))
  await onReady(server)
  await Promise.race([readiness.warm(), end])
  await end
  await server.close()
  return 0
}

type PageKeys = { token: string | null; memory: SiteMemory | null; ring: VisitorRing | null }

async function openTeamOf(...options: Parameters<typeof openTeam>): Promise<Team> {
  const { openTeam } = await import('./team.ts')
  return openTeam(...options)
}

async function openPage(og: Og, options: FaceOptions, { token, memory, ring }: PageKeys) {
  const { openWebSite } = await import('../../../web/site.ts')
  const { limit, places, allowIngest } = options
  const knownSources = () => sourceNames(places)
  const ingest = allowIngest ? ingestWithin(options) : null
  const most = Math.max(limit, leastHits)
  return openWebSite({ og, limit: most, knownSources, ingest, memory }, token, ring)
}

async function memoryPart(
  served: ServedPage,
  surrounding: Parameters<typeof openWebMemory>[0],
): Promise<(SiteMemory & AsyncDisposable) | null> {
  if (served === 'with memory to read') return await openReadOnlyMemory(surrounding)
  if (served !== 'with memory') return null
  const memory = await openWebMemory(surrounding)
  // An invalid workspace must fail at the start, not at the first visit.
  for (const name of await memory.workspaces()) await memory.memories.session(name)
  return memory
}

/** Lets people index from the web page under the same restrictions as agents. */
function ingestWithin({ self, env, places, allowedHosts: hosts = [] }: FaceOptions): Ingest {
  const reach: Reach = { hosts, folder: null }
  return {
    self,
    env: { ...env, OG_REACH: JSON.stringify(reach) },
    async checkSource(address) {
      const { parseAgentSource } = await import('../../../library/add/agent-source.ts')
      await parseAgentSource(address, { ...places, docsPaths: [], reach })
    },
  }
}

/** A person looks through more hits than an agent. */
const leastHits = 8

/**
 * Converts the options for indexing. --allow-host is not used, because a name of this server must
 * not give access to the network behind it.
 */
function ingestOf(options: { 'allow-ingest': boolean; 'allow-source-host': readonly string[] }): {
  allowIngest: boolean
  allowedHosts: string[]
} {
  const allowIngest = options['allow-ingest']
  const allowedHosts = options['allow-source-host'].map(allowedHost)
  if (allowIngest || allowedHosts.length === 0) return { allowIngest, allowedHosts }
  throw new OgError('Option "--allow-source-host" needs "--allow-ingest"')
}

export async function readToken({ env }: Context, path: string | null): Promise<string | null> {
  if (path === null) return env.OG_SERVE_TOKEN || null
  const text = await readTextFile(path, { limitMb: 1 }).catch((error) => {
    throw new OgError(`Cannot read the token from ${path}: ${messageOf(error)}`)
  })
  const token = text.split('\n', 1)[0]!.trim()
  if (token.length >= minTokenLength) return token
  const length = `its first line has ${token.length} characters`
  throw new OgError(`Cannot use the token in ${path}: ${length}`, {
    hint: `a token has ${minTokenLength} or more: create one with openssl rand -hex 32`,
  })
}

const minTokenLength = 16

type ObserverOptions = { audit: string | null; hasQueries: boolean; isScraped: boolean }

type WatchTyped = { audit: string | null; 'audit-queries': boolean; metrics: boolean }

export function observerOptionsOf({
  audit,
  'audit-queries': hasQueries,
  metrics,
}: WatchTyped): ObserverOptions {
  if (hasQueries && audit === null) throw new OgError('Option "--audit-queries" needs "--audit"')
  return { audit, hasQueries, isScraped: metrics }
}

export async function openObservers(
  og: Og,
  { audit, hasQueries, isScraped }: ObserverOptions,
  { env, warn }: { env: Context['env']; warn(line: string): void },
): Promise<Disposable & { observe: Observer | null; scrape: (() => Promise<string>) | null }> {
  const observers: Observer[] = []
  if (audit !== null) {
    const { openAudit } = await import('../../../mcp/team/observers.ts')
    const write = (line: string) => void process.stderr.write(escapeControls(line))
    const path = audit === '-' ? audit : expandPath(audit, env)
    observers.push(openAudit(path, { hasQueries, write, warn }))
  }
  const { openMetrics } = await import('../../../mcp/team/observers.ts')
  const metrics = isScraped ? openMetrics(og) : null
  if (metrics !== null) observers.push(metrics.observe)
  return {
    observe: observers.length === 0 ? null : (call) => observers.forEach((tell) => tell(call)),
    scrape: metrics?.scrape ?? null,
    [Symbol.dispose]: () => metrics?.[Symbol.dispose](),
  }
}

type ShownMemory = SiteMemory & AsyncDisposable

type MemoryEnvironment = Pick<Context, 'env' | 'guardSignals'> & { warn(line: string): void }

/**
 * Opens the memories for the web page: the configured workspaces, or else all in the root, with the
 * keys that open them.
 */
export async function openWebMemory(surrounding: MemoryEnvironment): Promise<ShownMemory> {
  return await siteMemoryOf(await serverConfig(surrounding), surrounding)
}

/** The server's own folder selects no project, because clients work in other folders. */
function serverConfig({ env }: MemoryEnvironment): Promise<MemoryConfig> {
  return loadMemoryConfig(env, { scope: 'user' })
}

async function siteMemoryOf(
  config: MemoryConfig,
  { env, warn, guardSignals }: MemoryEnvironment,
): Promise<ShownMemory> {
  const { watchMemories } = await import('../../../mcp/memory-face.ts')
  const { openMemories } = await import('../../../open-memory.ts')
  const keys = await readMemoryKeys(config, config.mcp.keysFile)
  await guardSignals()
  const memories = watchMemories(openMemories(config, env, warn))
  const served = config.mcp.workspaces
  return {
    memories,
    keys,
    workspaces: async () =>
      served.length > 0
        ? [...served]
        : [...new Set([config.workspace, ...(await listWorkspaces(config.root))])],
    [Symbol.asyncDispose]: () => memories[Symbol.asyncDispose](),
  }
}

/**
 * Opens existing memories read-only for programs of the same user. If there is none, the first one
 * may be created later. If the memory settings are invalid, prints a warning and returns null, and
 * documentation is still served.
 */
async function openReadOnlyMemory(surrounding: MemoryEnvironment): Promise<ShownMemory | null> {
  const { warn } = surrounding
  try {
    const config = await serverConfig(surrounding)
    const { root, mcp } = config
    const workspaces = async () => {
      const there = await listWorkspaces(root)
      return mcp.workspaces.length === 0
        ? there
        : mcp.workspaces.filter((name) => there.includes(name))
    }
    return { ...(await siteMemoryOf(config, surrounding)), workspaces, isReader: isOwnClient }
  } catch (error) {
    if (!(error instanceof OgError)) throw error
    warn(`memory is not shown: ${error.message}`)
    return null
  }
}
