import { expect, test } from 'bun:test'
import { sourcePlace } from '../../src/store/source.ts'

test('returns the path of a folder, and the URL of other sources', () => {
  expect(sourcePlace({ kind: 'local_path', path: '/docs' })).toBe('/docs')
  expect(sourcePlace({ kind: 'web_page', url: 'https://x.org/a' })).toBe('https://x.org/a')
  expect(sourcePlace({ kind: 'archive', url: '/docs.zip', docsPaths: [] })).toBe('/docs.zip')
})
