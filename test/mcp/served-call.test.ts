import type { ServerContext } from '@modelcontextprotocol/server'
import { expect, test } from 'bun:test'
import { observeCall, type ServedCall } from '../../src/mcp/served-call.ts'

const about = { what: 'a_tool', library: 'x'.repeat(999), query: 'y'.repeat(9_999) }

async function told(run: () => Promise<unknown>, signal = new AbortController().signal) {
  const calls: ServedCall[] = []
  const req = new Request('http://x')
  const http = { req, authInfo: { token: '', clientId: 'alice', scopes: [] } }
  const context = { http, mcpReq: { signal } } as unknown as ServerContext
  const answer = await observeCall(run, (call) => calls.push(call), { context, about }).catch(
    (error) => error,
  )
  expect(calls).toHaveLength(1)
  return { answer, call: calls[0]! }
}

test('reports each call once, with its key, status and duration', async () => {
  const { answer, call } = await told(async () => ({ content: [] }))
  expect(answer).toEqual({ content: [] })
  expect(call).toMatchObject({ key: 'alice', what: 'a_tool', status: 'ok' })
  expect([call.library?.length, call.query?.length]).toEqual([200, 2_000])
  expect(call.ms).toBeGreaterThanOrEqual(0)
})

test('distinguishes tool errors, thrown errors and cancelled calls', async () => {
  expect((await told(async () => ({ isError: true }))).call.status).toBe('error')
  const thrown = await told(() => Promise.reject(new Error('no')))
  expect([(thrown.answer as Error).message, thrown.call.status]).toEqual(['no', 'error'])
  const gone = await told(() => Promise.reject(new Error('gone')), AbortSignal.abort())
  expect(gone.call.status).toBe('cancelled')
})
