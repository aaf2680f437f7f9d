import { expect, test } from 'bun:test'
import { openMetrics } from '../../../src/mcp/team/observers.ts'
import { openMcpHome } from '../../support/mcp.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'
import type { ServedCall } from '../../../src/mcp/served-call.ts'

const home = disposeAfterAll(await openMcpHome())

const call: ServedCall = {
  key: 'alice',
  what: 'search_documents_tool',
  library: 'kit',
  status: 'ok',
  startedAt: Date.now(),
  ms: 30,
  query: 'zither',
}

test('exposes call durations to Prometheus without names or queries', async () => {
  using metrics = openMetrics(home.og)
  metrics.observe(call)
  metrics.observe({ ...call, ms: 40 })
  metrics.observe({ ...call, status: 'error', ms: 3_000 })
  const text = await metrics.scrape()
  const value = (name: string) => text.split('\n').find((line) => line.startsWith(`${name} `))
  const bucket = (status: string, le: string) =>
    value(
      `og_call_duration_bucket{call="search_documents_tool",status="${status}",le="${le}"}`,
    )?.replace(/.* /, '')
  expect(['0.025', '0.05', '+Inf'].map((le) => bucket('ok', le))).toEqual(['0', '2', '2'])
  expect(['2.5', '5', '+Inf'].map((le) => bucket('error', le))).toEqual(['0', '1', '1'])
  expect(text).toContain('og_call_duration_count{call="search_documents_tool",status="ok"} 2\n')
  expect(text).toContain('og_call_duration_sum{call="search_documents_tool",status="error"} 3\n')
  for (const name of ['og_libraries_warm', 'og_memory', 'og_cpu_total', 'og_loop_delay']) {
    expect(value(name)).toMatch(/ [\d.e-]+$/)
  }
  expect(text).not.toMatch(/alice|kit|zither/)
})

test('writes each metric in the text format of Prometheus', async () => {
  using metrics = openMetrics(home.og)
  metrics.observe({ ...call, what: 'GET /a"b\\c\nd', ms: 0 })
  const form = /^(?:# HELP \w+ .+|# TYPE \w+ (?:histogram|gauge|counter)|\w+(?:\{.+\})? [\d.e-]+)$/
  const lines = (await metrics.scrape()).trimEnd().split('\n')
  expect(lines.filter((line) => !form.test(line))).toEqual([])
  expect(lines.some((line) => line.includes('call="GET /a\\"b\\\\c\\nd"'))).toBe(true)
})
