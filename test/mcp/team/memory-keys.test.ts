import { expect, test, afterEach, beforeEach } from 'bun:test'
import { parseKeys, memorySite, type MemorySiteOptions } from '../../../src/mcp/team/memory-keys.ts'
import { outcome } from '../../support/memory/memory.ts'
import { serveOverHttp } from '../../../src/mcp/http/http.ts'
import { openMemoryHome, type MemoryHome } from '../../support/memory/mcp-memory.ts'

async function check(text: string, expected: object | string): Promise<void> {
  const found = await outcome(parseKeys(text, 'keys.yaml'))
  if (typeof expected === 'string') expect(found).toBe(expected)
  else expect(found).toEqual(expected as never)
}

const [one, two] = ['0123456789abcdef', 'fedcba9876543210']

test('reads the workspaces and the rights of each key', async () => {
  const yaml = `# team\n- key: "${one}"\n- key: ${two}\n  workspaces: [team, me]\n  read_only: true\n`
  const keys = [
    { secret: one, workspaces: null, readOnly: false },
    { secret: two, workspaces: ['team', 'me'], readOnly: true },
  ]
  await check(yaml, keys)
  await check(
    JSON.stringify([{ key: one }, { key: two, workspaces: ['team', 'me'], read_only: true }]),
    keys,
  )
  await check('[]', [])
})

test('names an invalid entry by its position and never shows a key', async () => {
  const start = 'Cannot use the keys of keys.yaml: '
  await check('- key: secret', `${start}entry 1: "key" is shorter than 16 characters`)
  await check(
    `- key: ${one}\n- key: ${two}\n  readonly: true`,
    `${start}entry 2: "it" is not what was expected`,
  )
  await check(`- key: ${one}\n  workspaces: []`, `${start}entry 1: "workspaces" names none`)
  await check(`- key: ${one}\n- key: ${one}`, `${start}entries 1 and 2 have the same key`)
  await check(`key: ${one}`, `${start}is not what was expected`)
  await check(`- "${one}`, 'Cannot read the keys of keys.yaml: it is not valid YAML')
})

let home: MemoryHome
let servers: AsyncDisposableStack
beforeEach(async () => {
  home = await openMemoryHome()
  servers = new AsyncDisposableStack()
})
afterEach(async () => {
  await servers.disposeAsync()
  await home[Symbol.asyncDispose]()
})

async function serve(options: Partial<MemorySiteOptions> = {}): Promise<string> {
  const preset = { workspaces: ['me', 'team one'], keys: [], readOnly: false }
  const server = serveOverHttp(memorySite(await home.memories(), { ...preset, ...options }), {
    hostname: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    warn: () => {},
  })
  servers.defer(server.close)
  return server.url
}

/** Returns the structured answer of a tool, or the message or HTTP status of a refusal. */
async function ask(url: string, name: string, given: object, headers = {}): Promise<any> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: given },
    }),
  })
  const text = await response.text()
  if (response.status !== 200) return response.status
  const { result, error } = JSON.parse(/^\{/.test(text) ? text : /^data: (.*)$/m.exec(text)![1]!)
  return error?.message ?? result.structuredContent
}

const note = { file: 'MEMORY.md', content: 'The walrus naps.' }
const question = { query: 'walrus' }
const count = async (url: string, headers = {}) =>
  (await ask(url, 'memory_read', question, headers)).count ?? 'refused'

test('serves each workspace at its path, and the first one at /mcp too', async () => {
  const url = await serve()
  await ask(`${url}/team%20one`, 'memory_write', note)
  expect(await count(`${url}/team%20one`)).toBe(1)
  expect(await count(url)).toBe(0)
  await ask(url, 'memory_write', note)
  expect(await count(`${url}/me`)).toBe(1)
  for (const name of ['other', '..%2Fme', 'me/', '%']) {
    expect(await ask(`${url}/${name}`, 'memory_read', question)).toBe(404)
  }
})

test('weakness 54: a key opens only its workspaces, with its rights', async () => {
  const keys = [
    { secret: 'all-of-them-0123456', workspaces: null, readOnly: false },
    { secret: 'team-alone-01234567', workspaces: ['team one'], readOnly: false },
    { secret: 'reads-team-01234567', workspaces: ['team one'], readOnly: true },
  ]
  const url = await serve({ workspaces: ['me'], keys })
  const [all, team, reader] = keys.map(({ secret }) => ({ Authorization: `Bearer ${secret}` }))
  for (const headers of [{}, { Authorization: 'Bearer all-of-them-012345' }]) {
    expect(await ask(url, 'memory_write', note, headers)).toBe(401)
  }
  await ask(url, 'memory_write', note, team)
  expect(await count(url, team)).toBe(1)
  expect(await count(url, all)).toBe(0)
  expect(await count(`${url}/team%20one`, all)).toBe(1)
  expect(await ask(`${url}/me`, 'memory_read', question, team)).toBe(404)
  expect(await count(url, reader)).toBe(1)
  expect(await ask(url, 'memory_write', note, reader)).toStartWith('Unknown tool "memory_write"')
})

test('rejects every write on a read-only server', async () => {
  const url = await serve({ readOnly: true })
  expect(await ask(url, 'memory_write', note)).toStartWith('Unknown tool "memory_write"')
  expect(await count(url)).toBe(0)
})

test('requires a key beyond loopback', async () => {
  const site = memorySite(await home.memories(), { workspaces: ['me'], keys: [], readOnly: false })
  const place = { hostname: '0.0.0.0', port: 0, allowedHosts: [], warn: () => {} }
  expect(() => serveOverHttp(site, place)).toThrow('without a token')
})

test('loses no entries when many clients write concurrently', async () => {
  const url = await serve()
  const writes = Array.from({ length: 60 }, (_, i) =>
    ask(url, 'memory_write', { file: 'daily', content: `walrus number ${i}` }),
  )
  const answers = await Promise.all(writes)
  expect(answers.every(({ status }) => status === 'ok')).toBe(true)
  const { file } = answers[0]
  const { content } = await ask(url, 'memory_read', { file })
  expect(content.match(/walrus number/g)).toHaveLength(60)
})
