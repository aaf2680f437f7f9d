import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { World } from '../e2e.ts'

export type McpProcess = AsyncDisposable & {
  client: Client
  /** Calls a tool and returns its text. */
  text(name: string, given: Record<string, unknown>): Promise<string>
}

/** Starts dist/og as a server and connects the official client to its pipes. */
export async function openMcpProcess(
  world: World,
  { args = ['mcp'], cwd = `${world.folder}/cwd` }: { args?: string[]; cwd?: string } = {},
): Promise<McpProcess> {
  const client = new Client({ name: 'test', version: '1' })
  const { executable: command, env } = world
  await client.connect(new StdioClientTransport({ command, args, env, cwd, stderr: 'ignore' }))
  return {
    client,
    async text(name, given) {
      const answer = (await client.callTool({ name, arguments: given })) as any
      return answer.content.map((block: any) => block.text ?? '').join('\n')
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
