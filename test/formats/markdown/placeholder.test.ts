import { expect, test } from 'bun:test'
import { growthLimitFor } from '../../../src/document/growth.ts'
import { countPageLeftovers } from '../../../src/page/leftover.ts'
import { placeholdersOf, withDeclared } from '../../../src/formats/markdown/placeholder.ts'
import type { ApiLookup } from '../../../src/formats/parsed-text.ts'

const text =
  '> MODULE: x/animate\n\n> NOTE: important\n\n' +
  '# [summary](docblock://a/create.ts?token=create)\n\n[params](docblock://a/create.ts?token=create)\n'

const lookup: ApiLookup = {
  find: () => null,
  julia: () => null,
  declared: (wanted) => ('module' in wanted ? 'The module.' : `About ${wanted.name}.`),
  resolve: async () => false,
}

test('replaces placeholders with documentation, each comment once', () => {
  const growth = growthLimitFor(text.length)
  expect(withDeclared(text, { lookup, growth })).toBe(
    'The module.\n\n> NOTE: important\n\n# About create.\n\n\n',
  )
})

test('lists the modules and the names in files that a text needs', () => {
  const named = { file: 'a/create.ts', name: 'create' }
  expect(placeholdersOf(text)).toEqual([{ module: 'x/animate' }, named, named])
})

test('keeps placeholders without documentation, and counts them by name', () => {
  const growth = growthLimitFor(text.length)
  const none: ApiLookup = { ...lookup, declared: () => null }
  expect(withDeclared(text, { lookup: none, growth })).toBe(text)
  const { names } = countPageLeftovers({ path: 'a.md', title: 'A', text, markup: 'markdown' })
  expect(names).toEqual(['MODULE', 'docblock', 'docblock'])
})
