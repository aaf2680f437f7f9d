import { expect, test } from 'bun:test'
import { sha256 } from '../../../src/platform/hash.ts'
import { endsPages, endsRows, packGroups } from '../../../src/library/pack/pack-groups.ts'

test('a library has some 128 members of a kind, and a small one fewer', () => {
  expect(packGroups({ pages: 10, chunks: 100 })).toEqual({ pages: 2, rows: 32 })
  expect(packGroups({ pages: 144, chunks: 2442 })).toEqual({ pages: 2, rows: 32 })
  expect(packGroups({ pages: 20_000, chunks: 100_000 })).toEqual({ pages: 256, rows: 1024 })
})

test('what is added in front changes no end behind it', () => {
  const groups = packGroups({ pages: 2_000, chunks: 40_000 })
  const urls = Array.from({ length: 2_000 }, (_, i) => `doc:/${i}.md`)
  const ends = (all: string[]) => all.filter((url) => endsPages(groups, url))
  expect(ends(urls).length).toBeWithin(60, 260)
  expect(ends(['doc:/new.md', ...urls]).filter((url) => url !== 'doc:/new.md')).toEqual(ends(urls))
  const keys = urls.map((url) => sha256(url).slice(0, 16))
  expect(keys.filter((key) => endsRows({ pages: 1, rows: 32 }, key)).length).toBeWithin(30, 100)
})
