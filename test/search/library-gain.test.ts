import { expect, test } from 'bun:test'
import { libraryGains } from '../../src/search/library-gain.ts'
import type { Entry } from '../../src/store/registry.ts'

const entry = (library: string, version = '1.0.0') =>
  ({ key: library.toLowerCase(), library, version }) as Entry

const gains = (query: string, entries: Entry[], pins: string[] = []) =>
  libraryGains(entries, {
    query,
    project: {
      pins: pins.map((name) => ({ package: name, named: '1.0.0', file: 'package.json' })),
      warnings: [],
    },
  })

test('a library that the query names gains, in whatever case and between other words', () => {
  const all = [entry('Ray'), entry('vite')]
  const [ray, vite] = gains('deploy a ray actor', all)
  expect(ray).toBeGreaterThan(1)
  expect(vite).toBe(1)
  expect(gains('an array of arrays', all)).toEqual([1, 1])
})

test('one that the project uses gains, less than one that is named', () => {
  const all = [entry('ray'), entry('vite')]
  const [ray, vite] = gains('deploy with vite', all, ['ray'])
  expect(ray).toBeGreaterThan(1)
  expect(vite).toBeGreaterThan(ray!)
})

test('of one library alone, in whatever versions, nothing gains', () => {
  expect(gains('ray', [entry('ray'), entry('ray', '2.0.0')], ['ray'])).toEqual([1, 1])
})
