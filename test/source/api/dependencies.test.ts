import { expect, test } from 'bun:test'
import type { SourceTree } from '../../../src/source/api/api-events.ts'
import { openBorrower } from '../../../src/source/api/borrow.ts'
import { withDependencies } from '../../../src/source/package/crate-relatives.ts'

const tree: SourceTree = { paths: [], addressOf: (path) => path, read: async () => null }

test('reads no dependencies of a source without a registry', async () => {
  const source = { kind: 'archive' as const, url: '/a.tgz', docsPaths: [] }
  expect(withDependencies(tree, source, {})).toBe(tree)
  const place = { name: 'a', folder: '', manifest: null, pathOf: (path: string) => path }
  const borrower = openBorrower({
    language: 'typescript',
    root: '',
    place: { ...place, paths: new Set(), dependencies: new Map() },
    texts: new Map(),
    tree,
    addresses: new Map(),
  })
  expect(await borrower.next(new Map())).toEqual({ files: [], failures: [] })
})
