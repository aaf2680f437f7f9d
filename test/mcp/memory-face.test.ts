import { expect, test } from 'bun:test'
import { appendFileSync, mkdirSync } from 'node:fs'
import { openMemoryFace, addMemory, memoryOnlyFace } from '../../src/mcp/memory-face.ts'
import { listedTools } from '../../src/mcp/memory/memory-tools.ts'
import { serveEmbeddings } from '../support/servers/embedding-server.ts'
import { openMemoryHome } from '../support/memory/mcp-memory.ts'
import { connectRaw, openMcpHome } from '../support/mcp.ts'
import { openEach } from '../support/run/dispose.ts'

const home = openEach(openMemoryHome)

test('adds memory tools, prompt and instructions to a documentation server', async () => {
  await using docs = await openMcpHome()
  await docs.add('kit', '1', { 'a.md': '# A\n\nzither\n' })
  const counted: string[] = []
  const face = { ...docs.face(), countCall: (name: string) => void counted.push(name) }
  const memory = openMemoryFace(await home().memories())
  const client = await connectRaw(addMemory(face, memory))
  const { tools } = (await client.request('tools/list')).result
  expect(tools.map(({ name }: any) => name)).toEqual([
    'search_documents_tool',
    'list_libraries_tool',
    'get_full_content_tool',
    'diff_api_tool',
    'memory_bootstrap',
    'memory_read',
    'memory_write',
    'memory_relate',
  ])
  await client.call('memory_write', { file: 'daily', content: 'Tuned the zither.' })
  const { structuredContent } = await client.call('search_documents_tool', { query: 'zither' })
  expect(structuredContent.matches).toBe(1)
  expect(counted).toEqual(['search_documents_tool'])
  const { prompts } = (await client.request('prompts/list')).result
  expect(prompts).toHaveLength(2)
  const { instructions, serverInfo } = client.received[0].result
  expect(serverInfo.name).toBe('og')
  for (const part of ['kit 1', 'memory_bootstrap']) expect(instructions).toContain(part)
  await client.end()
})

test('names a memory-only server groundmemory and lists no pages', async () => {
  const client = await home().connect()
  const { serverInfo, capabilities } = client.received[0].result
  expect(serverInfo.name).toBe('og')
  expect(Object.keys(capabilities).sort()).toEqual(['extensions', 'prompts', 'resources', 'tools'])
  const { resources } = (await client.request('resources/list')).result
  expect(resources.map(({ uri }: any) => uri)).toEqual(['skill://og-memory/SKILL.md'])
  expect((await client.request('resources/templates/list')).result.resourceTemplates).toEqual([])
  const { error } = await client.request('resources/read', { uri: 'og://kit/1/a.md' })
  expect(error.message).toContain('og://kit/1/a.md')
})

test('lists the inbox tools only if the workspace has an inbox', async () => {
  const listed = async (rights: { readOnly?: boolean } = {}) => {
    const tools = listedTools(openMemoryFace(await home().memories(), rights))
    return tools.map(({ name }) => name).filter((name) => /inbox|decide/.test(name))
  }
  expect(await listed()).toEqual([])
  mkdirSync(home().file('.'), { recursive: true })
  appendFileSync(home().file('INBOX.md'), '# Inbox\n')
  expect(await listed()).toEqual(['memory_inbox', 'memory_decide'])
  expect(await listed({ readOnly: true })).toEqual(['memory_inbox'])
  const client = await connectRaw(memoryOnlyFace(openMemoryFace(await home().memories())))
  expect((await client.call('memory_inbox', {})).structuredContent).toMatchObject({ notes: [] })
  await client.end()
})

test('finds a manual edit in the next call', async () => {
  const client = await home().connect()
  await client.ask('memory_write', { file: 'MEMORY.md', content: 'first' })
  appendFileSync(home().file('MEMORY.md'), '\n## 2026-01-01 10:00\n\nThe heron nests.\n')
  expect(await client.ask('memory_read', { query: 'heron' })).toMatchObject({ count: 1 })
})

test('isolates workspaces from each other', async () => {
  const [mine, other] = [await home().connect(), await home().connect({ workspace: 'other' })]
  await mine.ask('memory_write', { file: 'MEMORY.md', content: 'Only mine.' })
  expect(await other.ask('memory_read', { query: 'mine' })).toMatchObject({ count: 0 })
})

test('weakness 48: a slow embedder does not delay other calls', async () => {
  await using endpoint = serveEmbeddings()
  const settings = {
    EMBEDDING__PROVIDER: 'openai',
    EMBEDDING__MODEL: 'letters',
    EMBEDDING__DIMENSIONS: '8',
    EMBEDDING__BASE_URL: endpoint.env.OG_EMBEDDINGS__BASE_URL!,
  }
  const release = endpoint.hold()
  const client = await home().connect({ settings })
  await client.ask('memory_write', { file: 'MEMORY.md', content: 'The walrus naps.' })
  let isFound = false
  const search = client.ask('memory_read', { query: 'walrus' }).finally(() => (isFound = true))
  expect(await client.ask('memory_read', { file: 'MEMORY.md' })).toMatchObject({ mode: 'get' })
  expect(await client.ask('memory_write', { file: 'daily', content: 'x' })).toMatchObject({
    status: 'ok',
  })
  expect(isFound).toBe(false)
  release()
  expect((await search).results[0].text).toContain('walrus')
})
