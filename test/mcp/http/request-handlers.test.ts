import { expect, test } from 'bun:test'
import { endStreamOn, openHandlers } from '../../../src/mcp/http/request-handlers.ts'
import type { Face } from '../../../src/mcp/server.ts'
import { clientMeta, openMcpHome } from '../../support/mcp.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const home = disposeAfterAll(await openMcpHome())

function request(method: string, given = {}): Request {
  const params = { ...given, _meta: clientMeta }
  return new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

const changes = () =>
  request('subscriptions/listen', { notifications: { resourcesListChanged: true } })

test('closes the least recently used face and reopens it on request', async () => {
  const entries = openHandlers({ bodyBytes: 1_000, warn() {} })
  const [first, ...others] = Array.from({ length: 201 }, () => ({ ...home.face() }))
  const ask = async (face: Face, request: Request) =>
    entries.fetch(face, request, { clientId: null, body: await request.clone().bytes() })
  const stream = await ask(first!, changes())
  expect(stream.headers.get('content-type')).toStartWith('text/event-stream')
  const end = stream.text()
  for (const face of others) {
    const answer = await ask(face, request('tools/list'))
    expect(answer.status).toBe(200)
  }
  expect(await end).not.toContain('"error"')
  const again = await ask(first!, request('tools/list'))
  expect(await again.text()).toContain('search_documents_tool')
  await entries.close()
})

test('ends a change stream with its signals, but no other request', () => {
  const over = new AbortController()
  const stream = endStreamOn(changes(), [over.signal])
  const call = endStreamOn(request('tools/list'), [over.signal])
  over.abort()
  expect([stream.signal.aborted, call.signal.aborted]).toEqual([true, false])
})
