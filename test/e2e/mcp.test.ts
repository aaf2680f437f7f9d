/** Tests dist/og with clients of other projects. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  Client as Client2,
  StreamableHTTPClientTransport as Http2,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createWorld, handbook, type World } from '../support/e2e.ts'

const packages = join(import.meta.dir, '..', '..', 'node_modules', '@modelcontextprotocol')

let world: World
let url: URL
let server: Bun.Subprocess<'ignore', 'pipe', 'ignore'>
beforeAll(async () => {
  world = await createWorld({ embeddings: true })
  await world.og(['add', 'kettle', '-s', handbook, '-v', '1', '--base-url', 'doc:/'])
  const command = [world.executable, 'serve', '--port', '0']
  server = Bun.spawn(command, { env: world.env, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' })
  const { value } = await server.stdout.getReader().read()
  url = new URL(new TextDecoder().decode(value).trim())
})
afterAll(async () => {
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  await world[Symbol.asyncDispose]()
})

/** Checks the calls that both generations of the official client support. */
async function check(client: Client1 | Client2): Promise<void> {
  expect(client.getServerVersion()?.name).toBe('og')
  expect(client.getInstructions()).toContain('kettle 1')
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    'search_documents_tool',
    'list_libraries_tool',
    'get_full_content_tool',
    'diff_api_tool',
  ])
  const search = { name: 'search_documents_tool', arguments: { query: 'how hot should water be' } }
  // Both clients check structuredContent against the tool's outputSchema.
  const found = (await client.callTool(search)) as any
  expect(found.content[0].text).toMatch(/^Found \d+ matches in kettle 1\. .*\n1\. /)
  const [hit] = found.structuredContent.hits
  expect(hit).toMatchObject({ rank: 1, library: 'kettle', version: '1' })
  const { contents } = await client.readResource({ uri: hit.resource })
  const given = { url: hit.name, version: hit.version, structured: 'full' }
  const read = { name: 'get_full_content_tool', arguments: given }
  const page = (await client.callTool(read)) as any
  expect((contents[0] as any).text).toBe(page.structuredContent.text)
  for (const name of ['list_libraries_tool', 'search_documents']) {
    const given = name === 'list_libraries_tool' ? {} : search.arguments
    expect((await client.callTool({ name, arguments: given })).isError).toBeUndefined()
  }
  const { resources } = await client.listResources()
  expect(resources.map(({ uri }) => uri)).toContain(hit.resource)
  expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1)
  expect((await client.listPrompts()).prompts).toHaveLength(1)
  const ref = { type: 'ref/resource' as const, uri: 'og://{library}/{version}/{+path}' }
  const completed = await client.complete({ ref, argument: { name: 'library', value: 'ke' } })
  expect(completed.completion.values).toEqual(['kettle'])
  await client.close()
}

const self = { name: 'test', version: '1' }
const stdio = () => ({ command: world.executable, args: ['mcp'], env: world.env })

test('the 1.x client works over stdio', async () => {
  const client = new Client1(self)
  await client.connect(new Stdio1(stdio()))
  await client.ping()
  await check(client)
})

test('the 1.x client works over HTTP', async () => {
  const client = new Client1(self)
  await client.connect(new Http1(url) as never)
  await check(client)
})

test('the 2.x client works in both protocol versions over stdio', async () => {
  for (const mode of ['legacy', 'auto'] as const) {
    const client = new Client2(self, { versionNegotiation: { mode } })
    await client.connect(new Stdio2(stdio()))
    const spoken = client.getNegotiatedProtocolVersion()
    expect(spoken).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25')
    await check(client)
  }
})

test('the 2.x client works in both protocol versions over HTTP', async () => {
  for (const mode of ['legacy', 'auto'] as const) {
    const client = new Client2(self, { versionNegotiation: { mode } })
    await client.connect(new Http2(url))
    await check(client)
  }
})

test('the command line of the MCP inspector works', async () => {
  const node = Bun.which('node')
  if (node === null) throw new Error('the inspector needs node')
  const inspect = async (...args: string[]) => {
    const cli = join(packages, 'inspector-cli', 'build', 'cli.js')
    const command = [node, cli, '--cli', world.executable, 'mcp', ...args]
    const child = Bun.spawn(command, { env: world.env, stderr: 'pipe' })
    return JSON.parse(await new Response(child.stdout).text())
  }
  expect((await inspect('--method', 'tools/list')).tools).toHaveLength(4)
  const call = ['--method', 'tools/call', '--tool-name', 'search_documents_tool']
  const found = await inspect(...call, '--tool-arg', 'query=water', '--tool-arg', 'limit=2')
  expect(found.structuredContent.matches).toBe(2)
  const { resources } = await inspect('--method', 'resources/list')
  expect(resources[0].uri).toBe('skill://og-documentation/SKILL.md')
  expect(resources[1].uri).toStartWith('og://kettle/1/')
})

/**
 * Scenarios of the conformance suite that need the tools, prompts and resources of the suite's own
 * example server, or features that this server lacks.
 */
const needFixtures: Record<string, string> = {
  'tools-call-simple-text': 'tool test_simple_text',
  'tools-call-image': 'tool test_image_content',
  'tools-call-audio': 'tool test_audio_content',
  'tools-call-embedded-resource': 'tool test_embedded_resource',
  'tools-call-mixed-content': 'tool test_multiple_content_types',
  'tools-call-with-logging': 'tool test_tool_with_logging',
  'tools-call-error': 'tool test_error_handling',
  'tools-call-with-progress': 'tool test_tool_with_progress',
  'tools-call-sampling': 'tool test_sampling',
  'tools-call-elicitation': 'tool test_elicitation',
  'elicitation-sep1034-defaults': 'tool test_elicitation_sep1034_defaults',
  'elicitation-sep1330-enums': 'tool test_elicitation_sep1330_enums',
  'resources-read-text': 'resource test://static-text',
  'resources-read-binary': 'resource test://static-binary',
  'resources-templates-read': 'resource test://template/{id}/data',
  'prompts-get-simple': 'prompt test_simple_prompt',
  'prompts-get-with-args': 'prompt test_prompt_with_arguments',
  'prompts-get-embedded-resource': 'prompt test_prompt_with_embedded_resource',
  'prompts-get-with-image': 'prompt test_prompt_with_image',
  'logging-set-level': 'logging: this server sends no log messages, and 2026-07-28 deprecates them',
  'resources-subscribe': 'subscriptions: over HTTP no session is kept that could be told',
  'resources-unsubscribe': 'subscriptions, likewise',
  'server-sse-multiple-streams': 'sessions: none are kept',
}

test('passes every applicable scenario of the conformance suite', async () => {
  const suite = join(packages, 'conformance', 'dist', 'index.js')
  expect(existsSync(suite)).toBe(true)
  const expected = join(world.folder, 'expected.yml')
  const names = Object.keys(needFixtures).map((name) => `  - ${name}\n`)
  await Bun.write(expected, `server:\n${names.join('')}`)
  const command = [process.execPath, suite, 'server', '--url', url.href]
  const child = Bun.spawn([...command, '--expected-failures', expected], {
    cwd: world.folder,
    env: { ...process.env, HOME: world.env.HOME },
    stderr: 'pipe',
  })
  const report = await new Response(child.stdout).text()
  const passed = [...report.matchAll(/^✓ ([\w-]+): [1-9]/gm)].map(([, name]) => name!)
  expect(passed.sort()).toEqual([
    'completion-complete',
    'dns-rebinding-protection',
    'ping',
    'prompts-list',
    'resources-list',
    'server-initialize',
    'tools-list',
  ])
  // Exit code 0 means that only the scenarios in the list failed.
  expect({ code: await child.exited, report }).toEqual({ code: 0, report })
})
