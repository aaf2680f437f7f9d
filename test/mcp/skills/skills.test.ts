import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openServer, type Face, skillsExtension } from '../../../src/mcp/server.ts'
import { memoryOnlyFace, openMemoryFace, addMemory } from '../../../src/mcp/memory-face.ts'
import { skills } from '../../../src/mcp/skill.ts'
import { openMcpHome, type McpHome } from '../../support/mcp.ts'
import { openMemoryHome, type MemoryHome } from '../../support/memory/mcp-memory.ts'

let [docs, memory] = [] as unknown as [McpHome, MemoryHome]
beforeEach(async () => {
  docs = await openMcpHome()
  memory = await openMemoryHome()
})
afterEach(async () => {
  await docs[Symbol.asyncDispose]()
  await memory[Symbol.asyncDispose]()
})

async function connect(face: Face): Promise<{ client: Client; served: SkillsClient }> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await (await openServer(face)).connect(theirs)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(ours)
  return { client, served: new SkillsClient(client) }
}

test('serves the skills that match documentation and memory', async () => {
  const ofMemory = openMemoryFace(await memory.memories())
  for (const [face, names] of [
    [docs.face(), ['og-documentation']],
    [memoryOnlyFace(ofMemory), ['og-memory']],
    [addMemory(docs.face(), ofMemory), ['og-documentation', 'og-memory']],
  ] as const) {
    const { client, served } = await connect(face)
    expect(client.getServerCapabilities()?.extensions).toEqual({ [skillsExtension]: {} })
    const { skills: found } = await served.list()
    expect(found.map(({ frontmatter }) => frontmatter.name)).toEqual([...names])
    const { resources } = await client.listResources()
    expect(resources.map(({ name }) => name)).toEqual([...names])
    await client.close()
  }
})

test('publishes hash, size and front matter that match the content', async () => {
  const { client, served } = await connect(docs.face())
  const { skill } = await served.get('skill://og-documentation/SKILL.md')
  const { text, verified } = await served.read(skill)
  expect([text, verified]).toEqual([skills.documentation.text, true])
  expect(served.get('skill://og-memory/SKILL.md')).rejects.toThrow('no skill "skill://og-memory/')
  await client.close()
})

test('names only existing tools and commands in skills', async () => {
  const face = addMemory(docs.face({ allowIngest: true }), openMemoryFace(await memory.memories()))
  const tools = new Set(face.tools.map(({ name }) => name))
  for (const { text } of Object.values(skills)) {
    const named = text.match(/\b(?:memory_\w+|\w+_tool)\b/g) ?? []
    expect(named.length).toBeGreaterThan(2)
    expect(named.filter((name) => !tools.has(name))).toEqual([])
  }
})
