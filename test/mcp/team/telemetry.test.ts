import { expect, test } from 'bun:test'
import type { ServedCall } from '../../../src/mcp/served-call.ts'
import { openTelemetry, telemetrySignals } from '../../../src/mcp/team/telemetry.ts'
import { openMcpHome } from '../../support/mcp.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'
import { serveLocal } from '../../support/servers/serve-local.ts'

const home = disposeAfterAll(await openMcpHome())

const call: ServedCall = {
  key: 'alice',
  what: 'search_documents_tool',
  library: 'kit',
  status: 'ok',
  startedAt: Date.now(),
  ms: 30,
  query: 'zither',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
}

test('enables only the signals that the standard variables name', () => {
  const check = (env: Record<string, string>, metrics: boolean, traces: boolean) =>
    expect([env, telemetrySignals(env)]).toEqual([env, { metrics, traces }])
  check({}, false, false)
  check({ OTEL_SERVICE_NAME: 'og' }, false, false)
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  check(endpoint, true, true)
  check({ ...endpoint, OTEL_SDK_DISABLED: 'true' }, false, false)
  check({ ...endpoint, OTEL_METRICS_EXPORTER: 'none' }, false, true)
  check({ ...endpoint, OTEL_TRACES_EXPORTER: 'zipkin' }, true, false)
  check({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:1/v1/traces' }, false, true)
})

test('exposes call durations to Prometheus without names or queries', async () => {
  await using telemetry = await openTelemetry(home.og, { env: {}, version: '1' })
  telemetry.observe(call)
  telemetry.observe({ ...call, status: 'error', ms: 3_000 })
  const text = await telemetry.scrape()
  const bucket = (status: string, le: string) =>
    new RegExp(
      `^og_call_duration(?:_seconds)?_bucket\\{call="search_documents_tool",` +
        `status="${status}",[^}]*le="${le}"\\} (\\d+)$`,
      'm',
    ).exec(text)?.[1]
  expect([bucket('ok', '0.025'), bucket('ok', '0.05')]).toEqual(['0', '1'])
  expect([bucket('error', '2.5'), bucket('error', '5')]).toEqual(['0', '1'])
  for (const name of ['og_libraries_warm', 'og_memory', 'og_cpu', 'og_loop_delay']) {
    expect(text).toMatch(new RegExp(`^${name}\\w*(?:\\{[^}]*\\})? [\\d.e-]+$`, 'm'))
  }
  expect(text).not.toMatch(/alice|kit|zither/)
})

test("sends metrics and traces to the endpoint, with spans as children of the caller's", async () => {
  const sent = new Map<string, any>()
  using collector = serveLocal(async (request) => {
    sent.set(new URL(request.url).pathname, await request.json())
    return Response.json({})
  })
  const name = 'OTEL_EXPORTER_OTLP_ENDPOINT'
  const before = process.env[name]
  process.env[name] = collector.url.origin
  const telemetry = await openTelemetry(home.og, {
    env: { [name]: collector.url.origin, OTEL_SERVICE_NAME: 'docs' },
    version: '1',
  })
  telemetry.observe(call)
  await telemetry[Symbol.asyncDispose]()
  if (before === undefined) delete process.env[name]
  else process.env[name] = before
  expect([...sent.keys()].sort()).toEqual(['/v1/metrics', '/v1/traces'])
  const { resource, scopeSpans } = sent.get('/v1/traces').resourceSpans[0]
  expect(JSON.stringify(resource)).toContain('"docs"')
  const [span] = scopeSpans[0].spans
  expect(span).toMatchObject({
    name: 'search_documents_tool',
    traceId: '0af7651916cd43dd8448eb211c80319c',
    parentSpanId: 'b7ad6b7169203331',
  })
  expect(JSON.stringify(sent.get('/v1/traces'))).not.toContain('zither')
  expect(JSON.stringify(sent.get('/v1/metrics'))).toContain('og.call.duration')
})
