/** Uses memory like agents and programs, with clients of other projects and dist/og. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createWorld, type World } from '../../support/e2e.ts'

const root = join(import.meta.dir, '..', '..', '..')
const packages = join(root, 'node_modules', '@modelcontextprotocol')
const key = 'a-key-of-some-length-01'

let world: World
let url: URL
let port: string
let server: Bun.Subprocess<'ignore', 'pipe', 'ignore'>
beforeAll(async () => {
  world = await createWorld({ embeddings: true })
  const command = [world.executable, 'memory', 'serve', '--port', '0', '--workspace', 'served']
  const env = { ...world.env, GROUNDMEMORY_MCP__API_KEY: key }
  server = Bun.spawn(command, { env, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' })
  const { value } = await server.stdout.getReader().read()
  url = new URL(new TextDecoder().decode(value).trim())
  port = url.port
})
afterAll(async () => {
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  await world[Symbol.asyncDispose]()
})

/**
 * Checks the calls that both generations of the official client support, including output schemas.
 */
async function check(client: Client1 | Client2): Promise<void> {
  expect(client.getServerVersion()?.name).toBe('og')
  expect(client.getInstructions()).toContain('memory_bootstrap')
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    'memory_bootstrap',
    'memory_read',
    'memory_write',
    'memory_relate',
  ])
  const call = async (name: string, given: object) =>
    (await client.callTool({ name, arguments: given as Record<string, unknown> })) as any
  const content = 'The cat prefers tuna for dinner.'
  const written = await call('memory_write', { file: 'MEMORY.md', content })
  expect(written.structuredContent).toMatchObject({ status: 'ok', mode: 'append' })
  await call('memory_relate', { subject: 'Ann', predicate: 'owns', object: 'the cat' })
  // Searches by vector: the built-in model knows that a cat is a pet.
  const asked = { query: 'what does the pet eat', mode: 'vector' }
  const { structuredContent: found } = await call('memory_read', asked)
  expect(found.results[0].text).toContain(content)
  const file = await call('memory_read', { file: 'MEMORY.md' })
  expect(file.content[0].text).toEndWith(file.structuredContent.content)
  const bootstrap = await call('memory_bootstrap', { task: 'feed the cat' })
  expect(bootstrap.content[0].text).toContain(content)
  const failed = await call('memory_read', { file: '../x' })
  expect(failed).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('resolves outside the workspace') }],
  })
  const { messages } = await client.getPrompt({ name: 'memory_bootstrap_prompt' })
  expect((messages[0]!.content as any).text).toContain(content)
  await client.close()
}

const self = { name: 'test', version: '1' }
const stdio = (workspace: string, args = ['memory', 'mcp']) => ({
  command: world.executable,
  args: [...args, '--workspace', workspace],
  env: world.env,
})
const requestInit = { headers: { Authorization: `Bearer ${key}` } }

test('the 1.x client works over stdio and over HTTP', async () => {
  for (const transport of [new Stdio1(stdio('one')), new Http1(url, { requestInit })]) {
    const client = new Client1(self)
    await client.connect(transport as never)
    await client.ping()
    await check(client)
  }
})

test('the 2.x client works in both protocol versions, over stdio and over HTTP', async () => {
  for (const mode of ['legacy', 'auto'] as const) {
    for (const transport of [new Stdio2(stdio(mode)), new Http2(url, { requestInit })]) {
      const client = new Client2(self, { versionNegotiation: { mode } })
      await client.connect(transport)
      await check(client)
    }
  }
})

test('the command line of the MCP inspector works, also with memory and documentation together', async () => {
  const node = Bun.which('node')
  if (node === null) throw new Error('the inspector needs node')
  const inspect = async (args: string[], ...asked: string[]) => {
    const cli = join(packages, 'inspector-cli', 'build', 'cli.js')
    const command = [node, cli, '--cli', world.executable, ...args, ...asked]
    const child = Bun.spawn(command, { env: world.env, stderr: 'pipe' })
    return JSON.parse(await new Response(child.stdout).text())
  }
  expect((await inspect(['memory', 'mcp'], '--method', 'tools/list')).tools).toHaveLength(4)
  const call = ['--method', 'tools/call', '--tool-name', 'memory_write', '--tool-arg']
  const beside = ['mcp', '--memory']
  const written = await inspect(beside, ...call, 'file=daily', 'content=An otter came by.')
  expect(written.structuredContent.tier).toBe('daily')
  expect((await inspect(beside, '--method', 'tools/list')).tools).toHaveLength(8)
})

test('rejects a foreign Host or key, and --health reports whether the server works', async () => {
  const ask = (headers: Record<string, string>) =>
    fetch(url, { method: 'POST', headers, body: '{}' }).then(({ status }) => status)
  expect(await ask({})).toBe(401)
  expect(await ask({ ...requestInit.headers, Host: 'evil.example' })).toBe(403)
  const health = ['memory', 'serve', '--health']
  await world.check(health, { stdout: 'ok\n' }, { env: { GROUNDMEMORY_MCP__PORT: port } })
  await world.check([...health, '--port', '1'], {
    exitCode: 1,
    stderr: /^error: no healthy server/,
  })
  await world.check(['memory', 'serve', '--host', '0.0.0.0'], {
    exitCode: 2,
    stderr: /^error: Cannot serve at 0\.0\.0\.0 without a token/,
  })
})

const program = `
import { MemorySession, anthropic, openai } from 'og/memory'

const session = await MemorySession.create('program', { root: process.argv[2] })
await session.write({ file: 'MEMORY.md', content: 'Deploys go out on Tuesdays.' })
const { results } = await session.read({ query: 'deploys' })
const { message } = await session.executeTool('memory_read', { file: 'none.md' })
console.log(JSON.stringify([
  results.length, message, openai.tools(session).length, anthropic.tools(session).length,
]))
await session.close()
`

test('runs a small program under Bun and Node', async () => {
  const folder = join(world.folder, 'program')
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(root, join(folder, 'node_modules', 'og'))
  writeFileSync(join(folder, 'program.mjs'), program)
  const node = Bun.which('node')
  if (node === null) throw new Error('a Node program needs node')
  for (const runtime of [process.execPath, node]) {
    const notes = join(world.folder, runtime === node ? 'node' : 'bun')
    const env = { ...world.env, GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }
    const command = [runtime, join(folder, 'program.mjs'), notes]
    const child = Bun.spawn(command, { cwd: folder, env, stderr: 'pipe' })
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    expect({ stderr, stdout: stdout.trim(), code: await child.exited }).toEqual({
      stderr: '',
      stdout: '[1,"File not found: none.md",4,4]',
      code: 0,
    })
  }
})
