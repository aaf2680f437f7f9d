import { expect, test } from 'bun:test'
import { sha256 } from '../../../src/platform/hash.ts'
import {
  endsPagesMember,
  endsEmbeddingsMember,
  packGroups,
} from '../../../src/library/pack/write-pack.ts'

test('divides pages and chunks into about 256 members, and into fewer for a small library', () => {
  expect(packGroups({ pages: 10, chunks: 100 })).toEqual({ pages: 2, rows: 16 })
  expect(packGroups({ pages: 144, chunks: 2442 })).toEqual({ pages: 2, rows: 16 })
  expect(packGroups({ pages: 20_000, chunks: 100_000 })).toEqual({ pages: 128, rows: 512 })
})

test('keeps the boundaries of later members if pages are added before them', () => {
  const groups = packGroups({ pages: 2_000, chunks: 40_000 })
  const urls = Array.from({ length: 2_000 }, (_, i) => `doc:/${i}.md`)
  const ends = (all: string[]) => all.filter((url) => endsPagesMember(groups, { url, count: 1 }))
  expect(ends(urls).length).toBeWithin(120, 520)
  expect(ends(['doc:/new.md', ...urls]).filter((url) => url !== 'doc:/new.md')).toEqual(ends(urls))
  const keys = urls.map((url) => sha256(url).slice(0, 16))
  const ended = keys.filter((key) =>
    endsEmbeddingsMember({ pages: 1, rows: 32 }, { key, count: 1 }),
  )
  expect(ended.length).toBeWithin(30, 100)
})

test('limits the size of every member', () => {
  const groups = { pages: 4, rows: 32 }
  expect(endsPagesMember(groups, { url: 'doc:/x', count: 8 })).toBe(true)
  expect(endsEmbeddingsMember(groups, { key: '0000000100000000', count: 63 })).toBe(false)
  expect(endsEmbeddingsMember(groups, { key: '0000000100000000', count: 64 })).toBe(true)
})
