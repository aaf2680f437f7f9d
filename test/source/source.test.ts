import { expect, test } from 'bun:test'
import { displaySource } from '../../src/store/source.ts'

test('returns the path of a folder, and the URL of other sources', () => {
  expect(displaySource({ kind: 'local_path', path: '/docs' })).toBe('/docs')
  expect(displaySource({ kind: 'web_page', url: 'https://x.org/a' })).toBe('https://x.org/a')
  expect(displaySource({ kind: 'archive', url: '/docs.zip', docsPaths: [] })).toBe('/docs.zip')
})
