import { expect, test } from 'bun:test'
import { withoutChance } from '../support/run/golden.ts'
import { connectRaw, openMcpHome, type RawClient } from '../support/mcp.ts'
import { openMemoryHome } from '../support/memory/mcp-memory.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const home = disposeAfterAll(await openMcpHome())
const memoryHome = disposeAfterAll(await openMemoryHome())
const text =
  '# Kettle\n\n## Boil water\n\nCall `kettle.boil()` to boil water.\n\n' +
  '```js\nkettle.boil()\n```\n\n## Cool down\n\nWait a minute.\n'
await home.add('kettle', '1.0.0', { 'guide.md': text, 'api/pour.md': '# Pour\n\nIt pours.\n' })
await home.add('kettle', '2.0.0', { 'guide.md': `${text}\n## New\n\nBoil milk.\n` })
await home.add('oven', 'latest', { 'bake.md': '# Bake\n\nBake bread in the oven.\n' })

test('documentation tools keep their schemas and answers', async () => {
  await using face = home.face({ allowIngest: true })
  const client = await connectRaw(face)
  const calls: Call[] = [
    ['search_documents_tool', { query: 'boil water', library_name: 'kettle' }],
    ['search_documents_tool', { query: 'boil water', library_name: 'kettle', version: '1,7' }],
    ['search_documents_tool', { query: 'boil water', library_name: 'kettle', max_tokens: 60 }],
    ['search_documents_tool', { query: 'boil', library_name: 'kettle', path: 'api/**' }],
    ['search_documents_tool', { query: 'zebra stripes', strict: true }],
    ['search_documents_tool', { query: 'zebra', library_name: 'zoo' }],
    ['search_documents_tool', { query: 'bake bread', context: 1, limit: 2 }],
    ['search_documents', { query: 'bake bread' }],
    ['list_libraries_tool', {}],
    ['list_libraries_tool', { search_term: 'ov' }],
    ['list_libraries_tool', { search_term: 'zebra' }],
    ['get_full_content_tool', { url: 'doc:/bake.md', version: 'latest' }],
    ['get_full_content_tool', { url: 'doc:/guide.md#cool-down', version: '1.0.0' }],
    [
      'get_full_content_tool',
      { url: 'doc:/guide.md', version: '1.0.0', start_line: 3, end_line: 5 },
    ],
    ['get_full_content_tool', { url: 'doc:/none.md', version: '1.0.0' }],
    ['get_full_content_tool', { url: 'doc:/guide.md', version: '9' }],
    ['get_full_content_tool', { url: 'doc:/guide.md' }],
  ]
  expect(await answersOf(client, calls, { DIR: home.path })).toMatchSnapshot()
  await client.end()
})

test('memory tools keep their schemas and answers', async () => {
  const client = await memoryHome.connect()
  const calls: Call[] = [
    ['memory_bootstrap', {}],
    ['memory_write', { content: 'The kettle boils at noon.', tags: ['kitchen'] }],
    ['memory_write', { content: 'The kettle boils at noon.', tags: ['kitchen'] }],
    ['memory_write', { content: 'Tea was late.', tier: 'daily' }],
    ['memory_write', { file: 'MEMORY.md', search: 'at noon', replace: 'at one' }],
    ['memory_read', { file: 'MEMORY.md' }],
    ['memory_search', { query: 'kettle' }],
    ['memory_search', { query: 'zebra' }],
    ['memory_relate', { subject: 'Ann', predicate: 'likes', object: 'Tea' }],
    ['memory_list', {}],
    ['memory_read', { file: 'none.md' }],
  ]
  const places = { DIR: memoryHome.path }
  expect(await answersOf(client, calls, places)).toMatchSnapshot()
  await client.end()
})

type Call = [name: string, given: Record<string, unknown>]

async function answersOf(client: RawClient, calls: Call[], places: Record<string, string>) {
  const { result } = await client.request('tools/list', {})
  const answers: unknown[] = []
  for (const [name, given] of calls) {
    answers.push({ name, given, answer: await client.call(name, given) })
  }
  return withoutChance({ tools: result.tools, answers }, places)
}
