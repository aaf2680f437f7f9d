import { expect, test } from 'bun:test'
import { openTitleIndex } from '../../src/references/title-index.ts'

const files: Record<string, string> = {
  'v1/docs/a.md': '(x)=\n# Old\n',
  'v2/docs/a.md': '(x)=\n# New\n',
  'v2/docs/guide/index.md': '# Guide\n',
}

function openIndex() {
  const [prepared, read]: [string[][], string[]] = [[], []]
  const index = openTitleIndex({
    paths: Object.keys(files),
    read: async (path) => (read.push(path), files[path] ?? null),
    prepare: async (paths) => void prepared.push([...paths]),
  })
  return { index, prepared, read }
}

test('reads only the target page for a path, and all pages once for labels', async () => {
  const { index, prepared, read } = openIndex()
  expect(prepared).toEqual([])
  const guide = { path: 'v2/docs/guide/index.md', title: 'Guide' }
  expect(await index.find(['v2/docs/guide#'], 'v2/docs/a.md')).toEqual(guide)
  expect(await index.find(['v2/none#', 'v2/docs/guide/index#'], 'v2/docs/a.md')).toEqual(guide)
  expect(read).toEqual(['v2/docs/guide/index.md'])
  await Promise.all([index.find(['#x'], 'a'), index.find(['#y'], 'a')])
  expect(prepared.slice(1)).toEqual([Object.keys(files)])
  expect(read.length).toBe(4)
})

test('chooses the label nearest to the page', async () => {
  const { index } = openIndex()
  expect((await index.find(['#x'], 'v2/docs/b/c.md'))?.title).toBe('New')
  expect((await index.find(['#x'], 'v1/docs/b.md'))?.title).toBe('Old')
  expect(await index.find(['#none'], 'v1/docs/b.md')).toBe(null)
})
