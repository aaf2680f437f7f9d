import { configSnippet } from '../../clients/install.ts'
import type { Config } from '../../../config/config.ts'
import { loadConfig } from '../../../config/load.ts'
import { sourcesPlaces, userPaths } from '../../../config/paths.ts'
import type { FaceOptions } from '../../../mcp/face.ts'
import type { Face } from '../../../mcp/server.ts'
import { OgError } from '../../../platform/error.ts'
import { allowedHost } from '../../../platform/reach.ts'
import {
  clients,
  findClient,
  installedLaunchCommand,
  ownLaunchCommand,
} from '../../clients/client.ts'
import { command, option, type OptionValues } from '../../command.ts'
import type { Context } from '../../context.ts'

const mcpOptions = {
  'allow-ingest': option.flag('let the agent add and update libraries'),
  'allow-host': option.texts('HOST[:PORT]', 'with --allow-ingest: a private host that can be read'),
  memory: option.flag('offer the memory tools in addition to the documentation tools'),
  root: option.text('DIR', 'with --memory: folder of all workspaces'),
  workspace: option.text('NAME', 'with --memory: name of the workspace'),
  scope: option.text('SCOPE', 'with --memory: one memory for all, or one for each git repository', {
    choices: ['user', 'project'],
  }),
  'print-config': option.text(
    'CLIENT',
    `print the configuration for the file of ${clients.map(({ name }) => name).join(', ')}`,
  ),
}

export const mcp = command({
  name: 'mcp',
  summary: 'serve the documentation to an agent over stdin and stdout (MCP)',
  options: mcpOptions,
  async run(context, values) {
    const { 'print-config': client } = values
    const wish = faceRequestOf(values)
    if (client === null) {
      await serveAgent(context, () => openServed(context, wish))
      return 0
    }
    const launch = installedLaunchCommand(['mcp', ...argumentsOf(wish)], context.env)
    await context.terminal.write(await configSnippet(findClient(client), launch))
    return 0
  },
})

type FaceRequest = {
  allowIngest: boolean
  allowedHosts: string[]
  memory: { root: string | null; workspace: string | null; scope: string | null } | null
}

type McpTyped = Omit<OptionValues<typeof mcpOptions>, 'print-config'>

function faceRequestOf({ memory, root, workspace, scope, ...ingest }: McpTyped): FaceRequest {
  const place = { root, workspace, scope }
  const option = Object.entries(place).find(([, value]) => value !== null)?.[0]
  if (!memory && option !== undefined) throw new OgError(`Option "--${option}" needs "--memory"`)
  return { ...parseIngestOptions(ingest), memory: memory ? place : null }
}

export function parseIngestOptions(
  options: Pick<McpTyped, 'allow-ingest' | 'allow-host'>,
): Pick<FaceRequest, 'allowIngest' | 'allowedHosts'> {
  const allowIngest = options['allow-ingest']
  const allowedHosts = options['allow-host'].map(allowedHost)
  if (allowedHosts.length > 0 && !allowIngest) {
    throw new OgError('Option "--allow-host" needs "--allow-ingest"')
  }
  return { allowIngest, allowedHosts }
}

export function ingestArguments({
  allowIngest,
  allowedHosts,
}: Pick<FaceRequest, 'allowIngest' | 'allowedHosts'>): string[] {
  const hosts = allowedHosts.flatMap((host) => ['--allow-host', host])
  return [...(allowIngest ? ['--allow-ingest'] : []), ...hosts]
}

function argumentsOf({ memory, ...ingest }: FaceRequest): string[] {
  const place = Object.entries(memory ?? {}).flatMap(([name, value]) =>
    value === null ? [] : [`--${name}`, value],
  )
  return [...ingestArguments(ingest), ...(memory === null ? [] : ['--memory', ...place])]
}

type ServedFace = AsyncDisposable & { face: Face }

async function openServed(
  context: Context,
  { memory, ...ingest }: FaceRequest,
): Promise<ServedFace> {
  const { openFace } = await import('../../../mcp/face.ts')
  const config = await loadConfig(context.env)
  const stack = new AsyncDisposableStack()
  const og = stack.use(await context.openOg(config))
  const options = { ...ingest, isInProject: true }
  const face = stack.use(openFace(og, faceOptions(context, config, options)))
  const close = () => stack.disposeAsync()
  if (memory === null) return { face, [Symbol.asyncDispose]: close }
  const { openWatchedMemory } = await import('../memory/memory-serve.ts')
  const { addMemory } = await import('../../../mcp/memory-face.ts')
  const opened = stack.use(
    await openWatchedMemory(context, { ...memory, 'env-file': null }, { readOnly: false }),
  )
  return { face: addMemory(face, opened.face), [Symbol.asyncDispose]: close }
}

/** Serves the agent on stdin and stdout until it disconnects. */
export async function serveAgent(context: Context, open: () => Promise<ServedFace>): Promise<void> {
  // stdout is only for the protocol, so console output from packages goes to stderr.
  console.log = console.info = console.debug = console.error
  const { serveOverStdio } = await import('../../../mcp/stdio.ts')
  const served = await open()
  await serveOverStdio(served.face, {
    stdin: process.stdin,
    stdout: process.stdout,
    signal: context.interruption(),
    warn: (line) => context.terminal.note('warning', line),
  })
  // The wait is limited: if a model is still loading, exiting would take longer than clients wait.
  await Promise.race([served[Symbol.asyncDispose](), Bun.sleep(closeMs)])
}

const closeMs = 40

export function faceOptions(
  { env, terminal }: Context,
  { query, mcp, sources }: Config,
  options: Pick<FaceOptions, 'allowIngest' | 'allowedHosts' | 'isInProject'>,
): FaceOptions {
  const { command, args } = ownLaunchCommand([])
  return {
    ...options,
    limit: query.topK,
    answerShape: mcp.answerShape,
    self: [command, ...args],
    env,
    statsPath: userPaths(env).stats(),
    places: sourcesPlaces(env, sources.filePath),
    warn: (line) => terminal.note('warning', line),
  }
}
