import { describe, expect, test } from 'bun:test'
import { noProgress, type AddResult } from '../../../src/library/library.ts'
import { parseJobResult, progressOf, renderJobResult } from '../../../src/mcp/ingest/job-result.ts'

const counts = { pages: 3, chunks: 9, embedded: 4 }
const added: AddResult = {
  library: 'kit',
  version: '1.0',
  status: 'added',
  ...counts,
  skipped: [],
  kept: 0,
  incomplete: null,
  seconds: 1,
  failed: [{ url: 'https://kit.test/a*b', reason: 'HTTP 500' }],
  diff: { added: 3, modified: 0, deleted: 0, unchanged: 0 },
}

const end = (exitCode: number | null, stdout: string, notes: string[] = []) =>
  parseJobResult({ exitCode, stdout, notes })

describe('the output of a finished job', () => {
  test('returns one result for add, and a list with failures for update', () => {
    expect(end(0, JSON.stringify(added))).toEqual({ results: [added], failures: [] })
    const updated = { results: [added], failures: [{ library: 'a', version: '2', error: 'gone' }] }
    expect(end(1, JSON.stringify(updated))).toEqual(updated)
  })

  test('throws the error of a failed job with the hint that follows it', () => {
    const notes = ['hint: of a warning', 'error: Cannot read "kit"', 'hint: name a source']
    expect(() => end(2, '', notes)).toThrow(
      expect.objectContaining({ message: 'Cannot read "kit"', hint: 'name a source' }),
    )
    expect(() => end(null, '')).toThrow('Indexing was killed')
    expect(() => end(137, '')).toThrow('Indexing ended with code 137')
  })
})

test('names failed pages and versions in text and data', () => {
  const failures = [{ library: 'kit', version: '2.0', error: 'no such tag', hint: 'use 1.0' }]
  const { text, structured } = renderJobResult({ results: [added], failures })
  expect(text).toBe(
    'kit 1.0: added. 3 pages, 9 chunks, 4 embedded now, 1 page failed.\n' +
      'Failed: https://kit.test/a\\*b: HTTP 500\n' +
      'kit 2.0: failed. no such tag\nhint: use 1.0\n',
  )
  const failed = { library: 'kit', version: '2.0', status: 'failed' as const, error: 'no such tag' }
  const good = {
    library: 'kit',
    version: '1.0',
    status: 'added' as const,
    ...counts,
    failed: added.failed,
  }
  expect(structured).toEqual({ status: 'done', results: [good, failed] })
})

test('reports a total once all pages are read', () => {
  const progress = { ...noProgress, pages: 5, toEmbed: 8, embedded: 2 }
  const fetching = progressOf({ ...progress, phase: 'fetching' })
  expect(fetching).toMatchObject({ done: 7, total: null })
  expect(progressOf({ ...progress, phase: 'embedding' })).toEqual({
    done: 7,
    total: 13,
    message: 'embedding, 5 pages, 2 of 8 chunks',
  })
})
