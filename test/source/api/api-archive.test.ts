import { expect, test } from 'bun:test'
import { apiArchiveEvents } from '../../../src/source/api/api-archive.ts'

test('reads nothing of an archive whose pages are known', async () => {
  const before = new Map([
    ['file:///lamp.zip/lamp.py#L1', 'api:1'],
    ['file:///guide', 'etag'],
  ])
  const source = { kind: 'web_page' as const, url: 'file:///guide', apiArchive: '/missing.zip' }
  expect(await Array.fromAsync(apiArchiveEvents(source, { before }))).toEqual([
    { type: 'unchanged', url: 'file:///lamp.zip/lamp.py#L1' },
  ])
  await expect(Array.fromAsync(apiArchiveEvents(source, {}))).rejects.toThrow('missing.zip')
})
