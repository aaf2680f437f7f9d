import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { auditLine, openAudit } from '../../../src/mcp/team/observers.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import type { ServedCall } from '../../../src/mcp/served-call.ts'

const call: ServedCall = {
  key: 'alice',
  what: 'search_documents_tool',
  library: 'kit',
  status: 'ok',
  startedAt: Date.UTC(2030, 0, 1),
  ms: 12.345,
  query: 'where is the zither',
}

test('writes client and tool, and the query only if enabled', () => {
  const line = {
    at: '2030-01-01T00:00:00.000Z',
    key: 'alice',
    tool: 'search_documents_tool',
    library: 'kit',
    ms: 12.3,
    status: 'ok',
  }
  expect(JSON.parse(auditLine(call, false))).toEqual(line)
  expect(JSON.parse(auditLine(call, true))).toEqual({ ...line, query: 'where is the zither' })
  const odd = auditLine({ ...call, library: 'a\n{"key":"mallory"}\u2028' }, false)
  expect(odd.split(/[\n\u2028]/)).toHaveLength(2)
})

test('appends to a private file that may be rotated', async () => {
  await using temp = await createTempFolder('og-audit')
  const path = join(temp.path, 'audit.jsonl')
  const warnings: string[] = []
  const warn = (line: string) => void warnings.push(line)
  const options = { hasQueries: false, write() {}, warn }
  const observe = openAudit(path, options)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  observe(call)
  renameSync(path, `${path}.1`)
  observe(call)
  observe(call)
  const lines = (name: string) => readFileSync(name, 'utf8').trim().split('\n').length
  expect([lines(`${path}.1`), lines(path), warnings]).toEqual([1, 2, []])
  rmSync(path)
  mkdirSync(path)
  observe(call)
  observe(call)
  expect(warnings).toEqual([expect.stringContaining(`cannot write the audit to ${path}: `)])
  expect(() => openAudit(path, options)).toThrow(`Cannot write the audit to ${path}: `)
})

test('writes to the given function if the path is a dash', () => {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  openAudit('-', { hasQueries: false, write, warn() {} })(call)
  expect(lines).toEqual([auditLine(call, false)])
})
