import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { apiArchiveEvents } from '../../../src/source/api/api-archive.ts'

test('does not read an archive whose pages are known', async () => {
  const before = new Map([
    ['file:///lamp.zip/lamp.py#L1', 'api:1'],
    ['file:///guide', 'etag'],
  ])
  const source = { kind: 'web_page' as const, url: 'file:///guide', apiArchive: '/missing.zip' }
  expect(await Array.fromAsync(apiArchiveEvents(source, { before }))).toEqual([
    { type: 'unchanged', url: 'file:///lamp.zip/lamp.py#L1' },
  ])
})

test('reports an archive that cannot be read as one failure', async () => {
  using temp = { path: join(tmpdir(), 'og-bad.zip'), [Symbol.dispose]: () => rmSync(temp.path) }
  writeFileSync(temp.path, 'PK no archive')
  const source = { kind: 'web_page' as const, url: 'file:///guide', apiArchive: temp.path }
  const events = await Array.fromAsync(apiArchiveEvents(source, {}))
  expect(events).toEqual([
    { type: 'failed', url: temp.path, reason: expect.any(String), isFolder: true },
  ])
})
