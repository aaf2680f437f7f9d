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

test("fills the substitutions of the page and of Sphinx's configuration in titles", async () => {
  const pages: Record<string, string> = {
    'docs/conf.py': 'rst_prolog = """\n.. |tool| replace:: Kettle\n"""\n',
    'docs/x/a.rst':
      '.. |own| replace:: Lid\n\n.. _here:\n\nThe |tool| and |own| |none|\n===========================\n',
  }
  const read = async (path: string) => pages[path] ?? null
  const index = openTitleIndex({ paths: Object.keys(pages), read })
  for (const query of ['docs/x/a#', '#here'])
    expect((await index.find([query], 'docs/b.rst'))?.title).toBe('The Kettle and Lid none')
})
