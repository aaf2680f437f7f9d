import { expect, test } from 'bun:test'
import { readOutlines } from '../../../src/search/excerpt/excerpts.ts'
import type { OpenGeneration } from '../../../src/store/open-generation.ts'

/** A generation whose pages contain their own URL; it records which texts are read. */
function openPages(length = 10) {
  const read: string[][] = []
  const open = {
    generation: {} as OpenGeneration['generation'],
    async pageTexts(urls: readonly string[]) {
      read.push([...urls])
      const page = (url: string) => ({
        url,
        text: `# ${url}\n\n${'x'.repeat(length)}\n`,
        markup: 'markdown',
      })
      return new Map(urls.map((url) => [url, page(url)]))
    },
  }
  return { open, read }
}

test('reads a page again only after it was evicted', async () => {
  const { open, read } = openPages()
  const first = await readOutlines(open, ['a', 'b'])
  expect(first('a').sections.map(({ path }) => path)).toEqual([[], ['a']])
  const again = await readOutlines(open, ['a', 'b'])
  expect(again('a')).toBe(first('a'))
  expect(again('b').text).toStartWith('# b')
  expect(read).toEqual([['a', 'b']])
})

test('keeps the most recently used pages if pages are large', async () => {
  const { open, read } = openPages(1_800_000)
  for (const url of ['a', 'b', 'a', 'c', 'a', 'b']) (await readOutlines(open, [url]))(url)
  expect(read).toEqual([['a'], ['b'], ['c'], ['b']])
})

test('returns pages that another search evicts in the meantime', async () => {
  const { open } = openPages(1_800_000)
  await readOutlines(open, ['a'])
  const others = [readOutlines(open, ['c']), readOutlines(open, ['d'])]
  const both = readOutlines(open, ['a', 'b'])
  await Promise.all(others)
  expect((await both)('a').text).toStartWith('# a')
})
