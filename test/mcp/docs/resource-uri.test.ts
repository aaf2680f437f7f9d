import { expect, test } from 'bun:test'
import { pageLink, parseUri } from '../../../src/mcp/docs/resources.ts'
import { pageUri } from '../../../src/operation/hit.ts'

test('round-trips library, version and path with any characters', () => {
  const places = [
    { library: 'fastapi', version: '0.115.0', path: 'docs/a.md' },
    { library: '@scope/ui', version: 'v1/2', path: 'a b/ü?#%.md' },
  ]
  for (const place of places) expect(parseUri(pageUri(place))).toEqual(place)
  expect(pageUri(places[0]!)).toBe('og://fastapi/0.115.0/docs/a.md')
})

test('returns null for other URIs and accepts a malformed escape', () => {
  for (const uri of ['', 'og://a/b', 'og://a//c', 'https://a/b/c']) expect(parseUri(uri)).toBe(null)
  expect(parseUri('og://a/b/100%')).toEqual({ library: 'a', version: 'b', path: '100%' })
})

test("names a link by the page's title or its path", () => {
  const place = { library: 'a', version: '1', path: 'b.rst' }
  expect(pageLink({ ...place, title: '', markup: 'rst' })).toMatchObject({
    title: 'b.rst',
    mimeType: 'text/plain',
  })
  expect(pageLink({ ...place, title: 'B', markup: 'markdown' })).toMatchObject({
    title: 'B',
    mimeType: 'text/markdown',
  })
})
