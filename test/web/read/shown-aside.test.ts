import { expect, test } from 'bun:test'
import { expectReading, shownAside } from '../../../src/web/read/shown-aside.ts'

async function shown(page: Parameters<typeof shownAside>[0]): Promise<string[]> {
  return await Array.fromAsync(shownAside(page))
}

test('a page is shown by a process of its own', async () => {
  expectReading()
  expect((await shown({ text: '# a', markup: 'markdown' })).join('')).toBe('<h1>a</h1>\n')
})

test('what is long comes in pieces, the first of them about a window', async () => {
  const text = 'Some words.\n\n'.repeat(10_000)
  const pieces = await shown({ text, markup: 'markdown' })
  expect(pieces.length).toBeGreaterThan(3)
  expect(pieces[0]!.length).toBeLessThan(10_000)
  expect(pieces.join('').match(/<p>Some words/g)).toHaveLength(10_000)
})

test('a page that cannot be shown says so to its reader', async () => {
  const page = { text: 5 as never, markup: 'markdown' as const }
  await expect(shown(page)).rejects.toThrow('Cannot show the page: ')
})

test('a page that was shown lately is not rendered again', async () => {
  const page = { text: 'Other words.\n\n'.repeat(2_000), markup: 'markdown' as const }
  const first = await shown(page)
  expect(first.length).toBeGreaterThan(1)
  // The process has no time to say anything.
  expect(await Promise.race([shown({ ...page }), Bun.sleep(0)])).toEqual([first.join('')])
  expect((await shown({ ...page, text: '# b\n\nc' })).join('')).toBe('<h1>b</h1>\n<p>c</p>\n')
})
