import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { userHome } from '../../config/paths.ts'
import { statsFile } from '../../config/upstream-paths.ts'
import type { FaceOptions } from '../../mcp/face.ts'
import { clients } from '../clients/client.ts'
import { clientNamed, configText, ownLaunch } from '../clients/snippet.ts'
import { command } from '../command.ts'
import type { Context } from '../context.ts'

export const mcp = command({
  name: 'mcp',
  summary: 'serve the documentation to an agent over stdin and stdout (MCP)',
  details: [
    'Agents start this command themselves; "og install-mcp" tells them how. It speaks every ' +
      'revision of the Model Context Protocol, and ends when its stdin does. docs/mcp.md ' +
      'describes the tools.',
  ],
  positionals: {},
  options: {
    'allow-ingest': { type: 'switch', doc: 'let the agent add and update libraries' },
    'print-config': {
      type: 'text',
      placeholder: 'CLIENT',
      doc: `print what belongs into the file of ${clients.map(({ name }) => name).join(', ')}`,
    },
  },
  examples: ['og mcp', 'og mcp --allow-ingest', 'og mcp --print-config vscode'],
  async run(context, { 'allow-ingest': allowIngest, 'print-config': client }) {
    if (client === null) return await serve(context, allowIngest)
    const launch = ownLaunch(['mcp', ...(allowIngest ? ['--allow-ingest'] : [])])
    await context.terminal.write(await configText(clientNamed(client), launch))
    return 0
  },
})

async function serve(context: Context, allowIngest: boolean): Promise<number> {
  // Nothing but protocol may be on stdout: what a package prints goes to stderr.
  console.log = console.info = console.debug = console.error
  const { serveOverStdio } = await import('../../mcp/stdio.ts')
  const { openFace } = await import('../../mcp/face.ts')
  const config = await loadConfig(context.env)
  const og = await context.openOg(config)
  const face = openFace(og, faceOptions(context, config, { allowIngest, isInProject: true }))
  await serveOverStdio(face, {
    stdin: process.stdin,
    stdout: process.stdout,
    signal: context.interruption(),
    warn: (line) => context.terminal.note('warning', line),
  })
  // A model that is being loaded would hold the process for longer than its client waits.
  const closed = Promise.all([face[Symbol.asyncDispose](), og[Symbol.asyncDispose]()])
  await Promise.race([closed, Bun.sleep(closeMs)])
  return 0
}

const closeMs = 40

/** What servers over stdio and HTTP have in common. */
export function faceOptions(
  { env, terminal }: Context,
  { query, sources }: Config,
  known: Pick<FaceOptions, 'allowIngest' | 'isInProject'>,
): FaceOptions {
  const { command, args } = ownLaunch([])
  return {
    ...known,
    limit: query.topK,
    self: [command, ...args],
    env,
    statsPath: statsFile(env),
    places: { named: sources.filePath, cwd: process.cwd(), home: userHome(env) },
    warn: (line) => terminal.note('warning', line),
  }
}
