import { loadMemoryConfig, type MemoryConfig } from '../../../config/memory.ts'
import type { MemoryKey } from '../../../mcp/team/memory-keys.ts'
import { waitForAbort } from '../../../platform/concurrency.ts'
import { OgError, messageOf } from '../../../platform/error.ts'
import { readTextFile } from '../../../platform/file/read-file.ts'
import { command, option } from '../../command.ts'
import type { Context } from '../../context.ts'
import {
  memoryFlags,
  memoryOptions,
  type MemoryOptionValues,
  memoryPlaceOptions,
} from '../../memory.ts'
import { requestHealth, listenOptions } from '../server/health.ts'
import type { MemoryFace } from '../../../mcp/memory/memory-tool.ts'
import { serveAgent } from '../server/mcp.ts'
import { jsonText } from '../../../platform/json.ts'

const memoryServe = command({
  name: 'memory serve',
  summary: 'serve memories to agents over HTTP (MCP)',
  options: {
    root: memoryOptions.root,
    'env-file': memoryOptions['env-file'],
    workspace: option.texts('NAME', 'workspace to serve'),
    host: listenOptions.host,
    port: { ...listenOptions.port, defaultText: '4242' },
    'keys-file': option.text('PATH', 'key file'),
    'allow-host': listenOptions['allow-host'],
    'read-only': option.flag('reject all writes'),
    health: option.flag('check the server that runs with these settings'),
  },
  async run(context, { root, workspace, 'env-file': envFile, health, ...options }) {
    // The server's own folder selects no project, because clients work in other folders.
    const place = { root, workspace: workspace[0] ?? null, scope: 'user', 'env-file': envFile }
    const config = await loadMemoryConfig(context.env, memoryFlags(context, place))
    const hostname = options.host ?? config.mcp.host
    const port = options.port ?? config.mcp.port
    if (health) return await requestHealth(context, { hostname, port })
    await serve(context, config, {
      hostname,
      port,
      workspaces: workspace.length > 0 ? workspace : namedWorkspaces(config),
      keysFile: options['keys-file'] ?? config.mcp.keysFile,
      allowedHosts: [...config.mcp.allowedHosts, ...options['allow-host']],
      readOnly: options['read-only'],
    })
    return 0
  },
})

type MemoryServeOptions = {
  hostname: string
  port: number
  workspaces: readonly string[]
  keysFile: string | null
  allowedHosts: readonly string[]
  readOnly: boolean
}

async function serve(
  context: Context,
  config: MemoryConfig,
  wish: MemoryServeOptions,
): Promise<void> {
  const { env, terminal } = context
  const { workspaces, keysFile, readOnly, ...place } = wish
  const { serveOverHttp } = await import('../../../mcp/http/http.ts')
  const { watchMemories } = await import('../../../mcp/memory-face.ts')
  const { memorySite, servedWorkspaces } = await import('../../../mcp/team/memory-keys.ts')
  const { openMemories } = await import('../../../open-memory.ts')
  const keys = await readMemoryKeys(config, keysFile)
  const warn = (line: string) => terminal.note('warning', line)
  await context.guardSignals()
  await using memories = watchMemories(openMemories(config, env, warn))
  const served = { workspaces, keys, readOnly }
  const names = servedWorkspaces(served)
  // An invalid workspace name must fail at the start, not at the first call.
  for (const name of names) await memories.session(name)
  const server = serveOverHttp(memorySite(memories, served), {
    ...place,
    proxies: config.mcp.forwardedAllowIps,
    warn,
  })
  const urls = names.map((name) => `${server.url}/${encodeURIComponent(name)}`)
  await terminal.write([server.url, ...(names.length > 1 ? urls : [])].join('\n').concat('\n'))
  await waitForAbort(context.gracefulStop(server.stopMs))
  await server.close()
}

function namedWorkspaces({ workspace, mcp }: MemoryConfig): readonly string[] {
  return mcp.workspaces.length > 0 ? mcp.workspaces : [workspace]
}

export async function readMemoryKeys(
  { mcp }: MemoryConfig,
  path: string | null,
): Promise<MemoryKey[]> {
  const { apiKey } = mcp
  const own = apiKey === null ? [] : [{ secret: apiKey, workspaces: null, readOnly: false }]
  if (path === null) return own
  const { parseKeys } = await import('../../../mcp/team/memory-keys.ts')
  const text = await readTextFile(path, { limitMb: 1 }).catch((error) => {
    throw new OgError(`Cannot read the keys of ${path}: ${messageOf(error)}`)
  })
  return [...own, ...(await parseKeys(text, path))]
}

export const memoryMcp = command({
  name: 'memory mcp',
  summary: 'serve a memory to an agent over stdin and stdout (MCP)',
  options: {
    ...memoryPlaceOptions,
    'read-only': option.flag('offer no tools that write'),
    'for-programs': option.flag('offer the tools that "og/memory" calls'),
  },
  async run(context, { 'read-only': readOnly, 'for-programs': forPrograms, ...options }) {
    if (readOnly && forPrograms) {
      throw new OgError('Option "--for-programs" cannot be used with "--read-only"')
    }
    await serveAgent(context, async () => {
      const { memoryFaceForPrograms, memoryOnlyFace } = await import('../../../mcp/memory-face.ts')
      const faceOf = forPrograms ? memoryFaceForPrograms : memoryOnlyFace
      const memory = await openWatchedMemory(context, options, { readOnly })
      return { ...memory, face: faceOf(memory.face) }
    })
    return 0
  },
})

/** Opens the memory that flags and settings select, and watches its files. */
export async function openWatchedMemory(
  context: Context,
  options: MemoryOptionValues,
  { readOnly }: { readOnly: boolean },
): Promise<AsyncDisposable & { face: MemoryFace }> {
  const { openMemoryFace, watchMemories } = await import('../../../mcp/memory-face.ts')
  const { openMemories } = await import('../../../open-memory.ts')
  const { env, terminal } = context
  await context.guardSignals()
  const flags = memoryFlags({ env }, options)
  const warn = (line: string) => terminal.note('warning', line)
  const memories = watchMemories(openMemories(await loadMemoryConfig(env, flags), env, warn))
  return {
    face: openMemoryFace(memories, { readOnly }),
    [Symbol.asyncDispose]: () => memories[Symbol.asyncDispose](),
  }
}

const shapes = ['openai', 'anthropic', 'mcp']

const memorySchemas = command({
  name: 'memory schemas',
  summary: 'print the schemas of the memory tools for your own program',
  positionals: { shape: { doc: 'format of the schemas', choices: shapes } },
  async run({ terminal }, { shape }) {
    const { allMemoryTools } = await import('../../../mcp/memory/memory-tools.ts')
    const { toolListing } = await import('../../../mcp/server.ts')
    const { anthropic, openai } = await import('../../../program/adapters.ts')
    const listings = allMemoryTools.map(toolListing)
    const tools: Record<string, () => object[]> = {
      openai: () => openai.tools({ tools: listings }),
      anthropic: () => anthropic.tools({ tools: listings }),
      mcp: () => listings,
    }
    await terminal.write(jsonText(tools[shape]!()))
    return 0
  },
})

export const memoryServeCommands = [memoryMcp, memoryServe, memorySchemas]
