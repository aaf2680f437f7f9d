import { expect, test } from 'bun:test'
import { choosePack, searchPacks } from '../../../src/library/registry/choose-pack.ts'
import { indexOf } from '../../support/pack/registry-index.ts'

test('chooses the newest pack of the matching version', () => {
  const index = indexOf([
    { version: '1.0', path: 'a.ogpack' },
    { version: '1.0', path: 'b.ogpack', indexedAt: '2026-02-01T00:00:00Z' },
    { version: '1.10', path: 'c.ogpack' },
    { version: '1.9', path: 'd.ogpack' },
    { version: '2.0', path: 'e.ogpack', yanked: true },
    { library: 'torch', version: 'latest', path: 'f.ogpack' },
  ])
  const check = (library: string, version: string | null, expected: string | null) =>
    expect(choosePack(index, { library, version })?.path ?? null).toBe(expected)
  check('lamp', '1.0', 'b.ogpack')
  check('LAMP', null, 'c.ogpack')
  check('lamp', '1', 'c.ogpack')
  check('lamp', '^1', 'c.ogpack')
  check('lamp', '<1.10', 'd.ogpack')
  check('lamp', '2.0', 'e.ogpack')
  check('lamp', '2', null)
  check('torch', null, 'f.ogpack')
  check('none', null, null)
  expect(searchPacks(index, 'LAM p').map(({ path }) => path)).toEqual([
    'b.ogpack',
    'c.ogpack',
    'd.ogpack',
    'f.ogpack',
  ])
  expect(searchPacks(index, 'torch')).toHaveLength(1)
})

test('searches 5,000 packs and chooses one', async () => {
  const packs = Array.from({ length: 5000 }, (_, i) => ({
    library: `library-${i % 1000}`,
    version: `1.${(i / 1000) | 0}`,
    path: `p${i}.ogpack`,
  }))
  const index = indexOf(packs)
  expect(choosePack(index, { library: 'library-7', version: '1.3' })?.path).toBe('p3007.ogpack')
  expect(searchPacks(index, 'library-99')).toHaveLength(55)
})
