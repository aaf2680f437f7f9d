import { expect, test } from 'bun:test'
import { libraryFactors } from '../../src/search/library-gain.ts'
import type { Entry } from '../../src/store/registry.ts'

const entry = (library: string, version = '1.0.0') =>
  ({ key: library.toLowerCase(), library, version }) as Entry

const gains = (query: string, entries: Entry[], pins: string[] = []) =>
  libraryFactors(entries, {
    query,
    project: {
      pins: pins.map((name) => ({ package: name, named: '1.0.0', file: 'package.json' })),
      warnings: [],
    },
  })

test('boosts a library that the query names, in any case and between other words', () => {
  const all = [entry('Ray'), entry('vite')]
  const [ray, vite] = gains('deploy a ray actor', all)
  expect(ray).toBeGreaterThan(1)
  expect(vite).toBe(1)
  expect(gains('an array of arrays', all)).toEqual([1, 1])
})

test('boosts a library that the project uses, but less than a library in the query', () => {
  const all = [entry('ray'), entry('vite')]
  const [ray, vite] = gains('deploy with vite', all, ['ray'])
  expect(ray).toBeGreaterThan(1)
  expect(vite).toBeGreaterThan(ray!)
})

test('boosts no library if all versions belong to one library', () => {
  expect(gains('ray', [entry('ray'), entry('ray', '2.0.0')], ['ray'])).toEqual([1, 1])
})
