import { expect, test } from 'bun:test'
import { expectReading, shownAside } from '../../../src/web/read/shown-aside.ts'

test('a page is shown by a process of its own', async () => {
  expectReading()
  expect(await shownAside({ text: '# a', markup: 'markdown' })).toBe('<h1>a</h1>\n')
})

test('a page that cannot be shown says so to its reader', async () => {
  const page = { text: 5 as never, markup: 'markdown' as const }
  await expect(shownAside(page)).rejects.toThrow('Cannot show the page: ')
})

test('a page that was shown lately is not rendered again', async () => {
  const page = { text: '# b\n\nc', markup: 'markdown' as const, here: { from: 3, to: 3 } }
  expect(shownAside({ ...page })).toBe(shownAside({ ...page }))
  expect(await shownAside({ ...page, here: null })).toBe('<h1>b</h1>\n<p>c</p>\n')
})
