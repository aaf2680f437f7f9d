import { expect, test } from 'bun:test'
import { warmUpRenderer, renderInSandbox } from '../../../src/web/read/render-in-sandbox.ts'

async function shown(page: Parameters<typeof renderInSandbox>[0]): Promise<string[]> {
  return await Array.fromAsync(renderInSandbox(page))
}

test('renders a page in a separate process', async () => {
  warmUpRenderer()
  expect((await shown({ text: '# a', markup: 'markdown' })).join('')).toBe('<h1>a</h1>\n')
})

test('yields a long page in pieces, the first about as tall as a window', async () => {
  const text = 'Some words.\n\n'.repeat(10_000)
  const pieces = await shown({ text, markup: 'markdown' })
  expect(pieces.length).toBeGreaterThan(3)
  expect(pieces[0]!.length).toBeLessThan(10_000)
  expect(pieces.join('').match(/<p>Some words/g)).toHaveLength(10_000)
})

test('shows the reader why a page cannot be rendered', async () => {
  const page = { text: 5 as never, markup: 'markdown' as const }
  await expect(shown(page)).rejects.toThrow('Cannot show the page: ')
})

test('does not render a recent page again', async () => {
  const page = { text: 'Other words.\n\n'.repeat(2_000), markup: 'markdown' as const }
  const first = await shown(page)
  expect(first.length).toBeGreaterThan(1)
  // A new rendering would take longer than this.
  expect(await Promise.race([shown({ ...page }), Bun.sleep(0)])).toEqual([first.join('')])
  expect((await shown({ ...page, text: '# b\n\nc' })).join('')).toBe('<h1>b</h1>\n<p>c</p>\n')
})
