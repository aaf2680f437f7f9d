import { expect, test } from 'bun:test'
import { connectRaw, openMcpHome } from '../../support/mcp.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const home = disposeAfterAll(await openMcpHome())
const many = Array.from({ length: 230 }, (_, i) => [
  `p/${String(i).padStart(3, '0')}.md`,
  `# P${i}\n`,
])
await home.add('@scope/many', '1', Object.fromEntries(many))
const odd = {
  'a b/ü%41 #1?.md': '# Odd\n\ntext\n',
  'table.rst': 'Table\n=====\n\ntext\n',
  'words.txt': 'Words\n=====\n\ntext\n',
}
await home.add('odd', 'feature/x', odd)
await home.add('odd', '2.1.0', { 'index.md': '# Index\n\ntext\n' })
const client = disposeAfterAll(await connectRaw(home.face()))

async function list(cursor?: string) {
  return (await client.request('resources/list', cursor === undefined ? {} : { cursor })).result
}

test('lists every page once across several responses, and reads each listed page', async () => {
  const uris: string[] = []
  for (let cursor: string | undefined, part = 0; part === 0 || cursor; part++) {
    const { resources, nextCursor } = await list(cursor)
    const pages = resources
      .map(({ uri }: any) => uri)
      .filter((uri: string) => uri.startsWith('og:'))
    expect(pages.length).toBeLessThanOrEqual(200)
    uris.push(...pages)
    cursor = nextCursor
  }
  expect(new Set(uris).size).toBe(234)
  expect(uris).toContain('og://%40scope%2Fmany/1/p/229.md')
  for (const uri of [uris[0], uris[199], uris[200], ...uris.slice(230)]) {
    const { contents } = (await client.request('resources/read', { uri })).result
    expect(contents).toHaveLength(1)
    expect(contents[0].uri).toBe(uri)
    expect(contents[0].text).toContain('\n')
  }
})

test('returns the exact text of a page with its title and media type', async () => {
  const { resources } = await list((await list()).nextCursor)
  expect(resources.slice(-4)).toEqual([
    {
      uri: 'og://odd/2.1.0/index.md',
      name: 'index.md',
      title: 'Index',
      mimeType: 'text/markdown',
      description: 'odd 2.1.0',
    },
    {
      uri: 'og://odd/feature%2Fx/a%20b/%C3%BC%2541%20%231%3F.md',
      name: 'a b/ü%41 #1?.md',
      title: 'Odd',
      mimeType: 'text/markdown',
      description: 'odd feature/x',
    },
    {
      uri: 'og://odd/feature%2Fx/table.rst',
      name: 'table.rst',
      title: 'Table',
      mimeType: 'text/markdown',
      description: 'odd feature/x',
    },
    {
      uri: 'og://odd/feature%2Fx/words.txt',
      name: 'words.txt',
      title: 'Words',
      mimeType: 'text/plain',
      description: 'odd feature/x',
    },
  ])
  const read = async (uri: string) => (await client.request('resources/read', { uri })).result
  const { uri } = resources.at(-3)
  expect((await read(uri)).contents[0]).toEqual({
    uri,
    mimeType: 'text/markdown',
    text: '# Odd\n\ntext\n',
  })
  const contentsOf = async (uri: string) => (await read(uri)).contents[0]
  expect(await contentsOf(resources.at(-2).uri)).toMatchObject({ text: '# Table\n\ntext\n' })
  expect(await contentsOf(resources.at(-1).uri)).toMatchObject({ text: odd['words.txt'] })
  expect((await contentsOf('og://ODD/2.1/index.md')).text).toBe('# Index\n\ntext\n')
})

test('rejects unknown pages and foreign cursors', async () => {
  const wrong = [
    'og://odd/2.1.0/missing.md',
    'og://none/1/a.md',
    'og://odd/9/index.md',
    'og://odd',
    'file:///etc/passwd',
    'og://odd/2.1.0/%ZZ',
    'og://odd/2.1.0/../index.md',
    'og://%/%/%',
  ]
  for (const uri of wrong) {
    const { error, result } = await client.request('resources/read', { uri })
    expect({ uri, result, code: error?.code }).toEqual({ uri, result: undefined, code: -32602 })
  }
  const { error } = await client.request('resources/list', { cursor: 'x' })
  expect(error.code).toBe(-32602)
})

test('completes library, version and path', async () => {
  const check = async (argument: object, given: Record<string, string>, expected: object) => {
    for (const ref of [
      { type: 'ref/resource', uri: 'og://{library}/{version}/{+path}' },
      { type: 'ref/prompt', name: 'research_library' },
    ]) {
      const params = { ref, argument, context: { arguments: given } }
      const { completion } = (await client.request('completion/complete', params)).result
      expect(completion).toMatchObject(expected)
    }
  }
  await check({ name: 'library', value: '' }, {}, { values: ['@scope/many', 'odd'], total: 2 })
  await check({ name: 'library', value: 'OD' }, {}, { values: ['odd'] })
  const odd = { library: 'odd' }
  await check({ name: 'version', value: '' }, odd, { values: ['2.1.0', 'feature/x'] })
  await check({ name: 'version', value: '' }, {}, { values: [] })
  await check(
    { name: 'path', value: 'tab' },
    { ...odd, version: 'feature/x' },
    { values: ['table.rst'] },
  )
  const many = { library: '@scope/many', version: '1' }
  await check({ name: 'path', value: 'p/' }, many, { total: 230, hasMore: true })
  await check({ name: 'path', value: '9.md' }, many, {
    values: expect.arrayContaining(['p/009.md']),
  })
  await check({ name: 'other', value: '' }, many, { values: [] })
})

test('renders the prompt with the library as JSON, and requires a library', async () => {
  const { prompts } = (await client.request('prompts/list')).result
  expect(prompts.map((prompt: any) => prompt.name)).toEqual(['research_library'])
  const ask = (given: object) =>
    client.request('prompts/get', { name: 'research_library', arguments: given })
  const { messages } = (await ask({ library: 'kit', version: '2', question: 'How?' })).result
  expect(messages[0].content.text).toStartWith(
    'Find out from the indexed documentation of kit: How?\n',
  )
  expect(messages[0].content.text).toContain('with library_name "kit" and version "2", several')
  expect((await ask({ library: 'kit' })).result.messages[0].content.text).toStartWith(
    'Give an overview',
  )
  expect((await ask({})).error).toMatchObject({ code: -32602 })
  const other = await client.request('prompts/get', { name: 'other' })
  expect(other.error).toMatchObject({ code: -32602, message: 'Unknown prompt "other"' })
})
