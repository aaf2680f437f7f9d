import { expect, test } from 'bun:test'
import { openObservers, observerOptionsOf } from '../../../../src/cli/commands/server/serve.ts'
import { openMcpHome } from '../../../support/mcp.ts'

test('requires --audit for --audit-queries', () => {
  const typed = { audit: null, 'audit-queries': false, metrics: false }
  expect(observerOptionsOf(typed)).toEqual({ audit: null, hasQueries: false, isScraped: false })
  expect(() => observerOptionsOf({ ...typed, 'audit-queries': true })).toThrow('needs "--audit"')
})

test('observes calls only if an option or variable enables it', async () => {
  await using home = await openMcpHome()
  const nothing = { audit: null, hasQueries: false, isScraped: false }
  const check = async (wish: object, env: Record<string, string>, heard: boolean[]) => {
    await using watch = await openObservers(home.og, { ...nothing, ...wish }, { env, warn() {} })
    expect([watch.observe !== null, watch.scrape !== null]).toEqual(heard)
  }
  await check({}, {}, [false, false])
  await check({ audit: '-' }, {}, [true, false])
  await check({ isScraped: true }, {}, [true, true])
  await check({}, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, [false, false])
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }
  await check({}, { ...collector, OTEL_SDK_DISABLED: 'true' }, [false, false])
  await check({}, { OTEL_EXPORTER_OTLP_TIMEOUT: '100' }, [false, false])
})
