import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { assetAt, assets } from '../../src/web/frame.ts'

test('the assets of every page are small', () => {
  const bytes = Object.values(assets).map(({ text }) => gzipSync(text).byteLength)
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(35_000)
})

test('serves an asset as immutable under a hashed path', async () => {
  const answer = assetAt(assets.css.path)!
  expect(answer.headers.get('cache-control')).toContain('immutable')
  expect(answer.headers.get('content-type')).toBe('text/css; charset=utf-8')
  expect(await answer.text()).toBe(assets.css.text)
  expect(assetAt('/assets/0/page.css')).toBe(null)
})

test('the assets load nothing from other servers', () => {
  for (const { text } of [assets.css, assets.js]) expect(text).not.toMatch(/https?:|url\(|@import/)
})
