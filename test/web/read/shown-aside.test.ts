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
  const code = '\n\n```js\nlet d\n```'.repeat(20_000)
  const page = { text: `# b${code}`, markup: 'markdown' as const }
  const start = performance.now()
  const first = await shown(page)
  const between = performance.now()
  expect(await shown({ ...page })).toEqual([first.join('')])
  expect(performance.now() - between).toBeLessThan((between - start) / 5)
  expect((await shown({ ...page, text: '# b\n\nc' })).join('')).toBe('<h1>b</h1>\n<p>c</p>\n')
})
