/** Commands that still work while the bucket of a store is unreachable. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { handbook, type World } from '../../support/e2e.ts'
import { createBucketMachine } from '../../support/servers/bucket-machines.ts'
import { serveBucket, type BucketServer } from '../../support/servers/bucket-server.ts'
import { startOgServer } from '../../support/servers/og-server.ts'
import { until } from '../../support/until.ts'

let server: BucketServer
let builder: World
let reader: World
beforeAll(async () => {
  server = serveBucket()
  ;[builder, reader] = [await createBucketMachine(server), await createBucketMachine(server)]
  expect((await add('handbook', handbook)).exitCode).toBe(0)
  expect((await add('guides', join(handbook, 'guides'))).exitCode).toBe(0)
  expect((await reader.og(['query', 'kettle', '-l', 'handbook'])).exitCode).toBe(0)
})
beforeEach(() => {
  server.fault = null
  server.isHung = false
})
afterAll(async () => {
  server[Symbol.dispose]()
  await builder[Symbol.asyncDispose]()
  await reader[Symbol.asyncDispose]()
})

const add = (library: string, source: string) =>
  builder.og(['add', library, '-v', '1', '--source', source])
/** Returns the answer of an overloaded bucket. */
function busy(): Response {
  const answer = server.refused(503, 'SlowDown')
  answer.headers.set('retry-after', '3600')
  return answer
}

const copyLine = /^warning: Cannot re\w+ store s3:\/\/docs\/team: [\w ]+; using the copy of .*\n/

test('reading commands answer from the local mirror during an outage, with one warning', async () => {
  const page = (await reader.json(['query', 'kettle', '-l', 'handbook', '--json'])).hits[0].url
  server.fault = busy
  for (const args of [
    ['list'],
    ['query', 'kettle', '-l', 'handbook'],
    ['get', page, '-l', 'handbook'],
    ['context', 'kettle', '-l', 'handbook'],
    ['stats', 'show'],
    ['pack', 'handbook', '-o', 'handbook.ogpack'],
  ]) {
    const { exitCode, stdout, stderr } = await reader.og(args)
    expect([args[0], exitCode]).toEqual([args[0], 0])
    expect(stdout.length).toBeGreaterThan(20)
    expect(stderr).toMatch(copyLine)
    expect(stderr.split('\n')).toHaveLength(2)
  }
})

test('waits five seconds for a bucket that does not answer', async () => {
  server.isHung = true
  const started = performance.now()
  const { exitCode, stderr } = await reader.og(['query', 'kettle', '-l', 'handbook'])
  expect(exitCode).toBe(0)
  expect(stderr).toMatch(copyLine)
  expect(performance.now() - started).toBeGreaterThan(4_900)
  expect(performance.now() - started).toBeLessThan(30_000)
})

test('a query of all libraries reports each library that it could not search', async () => {
  server.fault = busy
  const { stdout, stderr, exitCode } = await reader.og(['query', 'kettle'])
  expect(stdout).toContain('handbook')
  expect(stderr).toContain(
    'Not searched: 1 of 2 library versions without a copy on this machine, ' +
      'because store s3://docs/team cannot be reached',
  )
  expect(exitCode).toBe(0)
  const other = await reader.og(['query', 'kettle', '-l', 'guides'])
  expect(other.stderr).toContain(
    'error: Cannot read library "guides" version "1": store ' +
      's3://docs/team cannot be reached, and this machine has no copy of it',
  )
  expect(other.exitCode).toBe(2)
})

test('lists the sizes of mirrored libraries, and all others as unknown', async () => {
  server.fault = busy
  const listed = await reader.json(['list', '--json'])
  expect(listed.map((it: any) => [it.library, typeof it.bytes])).toEqual([
    ['guides', 'object'],
    ['handbook', 'number'],
  ])
  const { stdout } = await reader.og(['list'])
  expect(stdout).toMatch(/^guides +1 +\d+ +\d+ +- /m)
})

test('treats an unknown host as an outage, but not a rejected request', async () => {
  const moved = { env: { AWS_ENDPOINT_URL_S3: 'http://no-such-host.invalid' } }
  await reader.check(
    ['list'],
    {
      exitCode: 2,
      stderr:
        'error: Cannot reach store s3://docs/team: host name not found\n' +
        'hint: check the network and the proxy settings\n',
    },
    moved,
  )
  server.fault = () => server.refused(403, 'AccessDenied')
  const { exitCode, stderr } = await reader.og(['list'])
  expect(stderr).toStartWith('error: Cannot read store s3://docs/team: the bucket answers 403')
  expect(exitCode).toBe(2)
})

test('commands that write or check fail with one line about the outage', async () => {
  server.fault = busy
  for (const args of [
    ['add', 'other', '--source', handbook],
    ['remove', 'handbook', '-v', '1', '-y'],
    ['rollback', 'handbook'],
    ['update', '--all'],
    ['gc'],
    ['copy', 's3://docs/team', 'mirror'],
    ['nuke', 'embeddings', '-y'],
  ]) {
    const { exitCode, stdout, stderr } = await reader.og(args)
    expect([args[0], stderr.replace(/^hint: .*\n/m, '')]).toEqual([
      args[0],
      'error: Cannot read store s3://docs/team: the bucket answers 503 SlowDown\n',
    ])
    expect(stdout).toBe('')
    expect(exitCode).toBe(2)
  }
})

test('a server starts from the mirror during an outage, and later uses the bucket again', async () => {
  server.isHung = true
  const served = await startOgServer(reader, ['serve', '--port', '0', '--warm', 'handbook'])
  const fetched = async (path: string) => {
    const started = performance.now()
    const answer = await fetch(new URL(path, served.url))
    return { status: answer.status, text: await answer.text(), ms: performance.now() - started }
  }
  await until('it is ready', async () => (await fetched('ready')).status === 200)
  for (let i = 0; i < 3; i++) {
    const { status, text, ms } = await fetched('?q=exit+codes+of+the+kettle&library=handbook')
    expect(status).toBe(200)
    expect(text).toContain('commands')
    expect(ms).toBeLessThan(4_000)
  }
  expect((await fetched('libraries')).text).toContain('guides')
  server.isHung = false
  expect((await add('third', join(handbook, 'guides'))).exitCode).toBe(0)
  await until('it lists the third library', async () =>
    (await fetched('libraries')).text.includes('third'),
  )
  served.kill('SIGTERM')
  const { exitCode, stderr } = await served.ended
  expect(exitCode).toBe(0)
  expect(stderr.match(/using the copy/g)).toHaveLength(1)
})

test('an MCP server answers from the mirror', async () => {
  server.fault = busy
  const call = (id: number, name: string, args: object) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  })
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  }
  const search = { query: 'exit codes of the kettle', library_name: 'handbook', version: '1' }
  const stdin = [
    initialize,
    call(2, 'list_libraries_tool', {}),
    call(3, 'search_documents_tool', search),
  ]
    .map((it) => `${JSON.stringify(it)}\n`)
    .join('')
  const { stdout, stderr } = await reader.og(['mcp'], { stdin })
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const text = (id: number) => answers.find((it) => it.id === id).result.content[0].text
  expect(JSON.parse(text(2))).toHaveProperty('handbook', ['1'])
  expect(text(3)).toContain('ERR_TANK_LOW')
  expect(stderr).toMatch(copyLine)
  expect(stderr.split('\n')).toHaveLength(2)
})
