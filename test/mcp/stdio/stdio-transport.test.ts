import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { openStdioTransport } from '../../../src/mcp/stdio.ts'
import { clientMeta, connectRaw, openMcpHome, openRaw } from '../../support/mcp.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const home = disposeAfterAll(await openMcpHome())
await home.add('kit', '1', { 'a.md': '# A\n\nzither ü\n' })

test('answers invalid messages and stays connected', async () => {
  const client = await connectRaw(home.face())
  const check = async (line: string | Uint8Array, id: unknown, code: number) => {
    const before = client.received.length
    client.write(line)
    const error = await client.next((message) => client.received.indexOf(message) >= before)
    expect({ line, id: error.id, code: error.error.code }).toEqual({ line, id: id as null, code })
  }
  await check('{"jsonrpc":\n', null, -32700)
  await check('not json\n', null, -32700)
  await check(new Uint8Array([0xff, 0xfe, 10]), null, -32700)
  await check('{"jsonrpc":"2.0","id":7}\n', 7, -32600)
  await check('{"id":"x","method":"ping"}\n', 'x', -32600)
  await check('42\n', null, -32600)
  await check('{"jsonrpc":"2.0","id":8,"method":"no/such"}\n', 8, -32601)
  client.write('\n  \r\n')
  expect((await client.request('ping')).result).toEqual({})
  expect(client.warnings).toHaveLength(6)
  await client.end()
})

test('rejects a message of 100 MB with its id, without storing it', async () => {
  const client = await connectRaw(home.face())
  const megabyte = Buffer.alloc(2 ** 20, 'x')
  const send = (head: string, tail: string) => {
    client.write(head)
    for (let i = 0; i < 100; i++) client.write(megabyte)
    client.write(tail)
  }
  const before = process.memoryUsage.rss()
  send('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"q":"', '"}}\n')
  send('{"method":"tools/call","params":{"q":"', '"},"jsonrpc":"2.0","id":"six"}\r\n')
  send('{"params":{"id":9,"q":"', '"}}\n')
  const sizes = { code: -32600, message: 'Message too large: more than 4194304 bytes' }
  expect((await client.next(({ id }) => id === 5)).error).toEqual(sizes)
  expect((await client.next(({ id }) => id === 'six')).error).toEqual(sizes)
  expect((await client.next(({ id }) => id === null)).error).toEqual(sizes)
  expect((await client.request('ping')).result).toEqual({})
  expect(process.memoryUsage.rss() - before).toBeLessThan(400 * 2 ** 20)
  await client.end()
})

test('accepts lines in any pieces, and batches', async () => {
  const client = await connectRaw(home.face(), { revision: '2025-03-26' })
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' })
  const bytes = Buffer.from(`${JSON.stringify([ping(1), ping(2)])}\r\n${JSON.stringify(ping(3))}\n`)
  for (const byte of bytes) client.write(Uint8Array.of(byte))
  for (const id of [1, 2, 3]) expect((await client.next((it) => it.id === id)).result).toEqual({})
  await client.end()
})

test('serves both protocol generations with one server', async () => {
  const modern = openRaw(home.face())
  const { result } = await modern.request('server/discover', { _meta: clientMeta })
  expect(result.supportedVersions).toContain('2026-07-28')
  expect(result.instructions).toContain('kit 1')
  const search = { name: 'search_documents_tool', arguments: { query: 'zither' } }
  const found = await modern.request('tools/call', { ...search, _meta: clientMeta })
  expect(found.result).toMatchObject({ resultType: 'complete', structuredContent: { matches: 1 } })
  const wrong = await modern.request('resources/read', { uri: 'og://no/1/a', _meta: clientMeta })
  expect(wrong.error.code).toBe(-32602)
  await modern.end()
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    const client = openRaw(home.face())
    const clientInfo = { name: 'test', version: '1' }
    const params = { protocolVersion: revision, capabilities: {}, clientInfo }
    const { result } = await client.request('initialize', params)
    expect(result.protocolVersion).toBe(revision)
    expect(
      (await client.call('search_documents_tool', { query: 'zither' })).isError,
    ).toBeUndefined()
    await client.end()
  }
})

test('answers requests received before stdin ended', async () => {
  const client = await connectRaw(home.face())
  await client.call('list_libraries_tool')
  const answer = client.call('list_libraries_tool')
  await client.end()
  expect((await answer).structuredContent).toEqual({ kit: ['1'] })
})

/** A transport that received one request before stdin ended. */
async function ended({ method, graceMs }: { method: string; graceMs?: number }) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const options = graceMs === undefined ? {} : { graceMs }
  const transport = openStdioTransport({ stdin, stdout }, options)
  const read = Promise.withResolvers<void>()
  transport.onmessage = () => read.resolve()
  await transport.start()
  stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method })}\n`)
  await Promise.all([read.promise, once(stdin, 'end')])
  return { transport, written: () => stdout.read()?.toString() }
}

test('sends a late answer after the end of stdin and then closes', async () => {
  const { transport, written } = await ended({ method: 'tools/list' })
  // Longer than any request takes on an idle machine.
  let isClosed = false
  void transport.closed.then(() => (isClosed = true))
  await Bun.sleep(300)
  expect(isClosed).toBe(false)
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
  await transport.closed
  expect(JSON.parse(written()!)).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
})

test('closes after the grace period despite open requests, and at once despite a subscription', async () => {
  const { transport, written } = await ended({ method: 'tools/list', graceMs: 1 })
  await transport.closed
  expect(written()).toBeUndefined()
  await (await ended({ method: 'subscriptions/listen' })).transport.closed
})

test('leaves a cancelled call unanswered and closes without waiting for it', async () => {
  const client = await connectRaw(home.face())
  const search = { name: 'search_documents_tool', arguments: { query: 'zither' } }
  void client.request('tools/call', search, 77)
  client.notify('notifications/cancelled', { requestId: 77 })
  await client.call('list_libraries_tool')
  await client.end()
  expect(client.received.filter(({ id }) => id === 77)).toEqual([])
})
