import { afterAll, beforeAll, expect, test } from 'bun:test'
import { libraryRoutes } from '../../../src/web/library/libraries-page.ts'
import { pagesAddress, pagesRoutes } from '../../../src/web/library/pages-page.ts'
import { openTestSite, type TestSite } from '../../support/page/site.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
  await site.add('kitchen', '1.0', { 'pot.md': '# Pot\n\nIt stews.\n', 'a/pan.md': '# Pan\n\nIt <fries>.\n' })
})
afterAll(() => site[Symbol.asyncDispose]())

const place = { library: 'kitchen', version: '1.0' }

test('what is indexed stands there with its size and state', async () => {
  expect(libraryRoutes).toHaveLength(1)
  const { text } = await site.ask('/libraries')
  expect(text).toContain('<h2><a href="/?library=kitchen">kitchen</a></h2>')
  expect(text).toContain('<td class="right">2</td>')
  expect(text).toContain('<td>–</td>')
  await using empty = await openTestSite()
  expect((await empty.ask('/libraries')).text).toContain('<code>og add fastapi</code>')
})

test('the pages of a version are found by path and title', async () => {
  const all = await site.ask(pagesAddress(place))
  expect(all.text).toContain('2 pages')
  const some = await site.ask(`${pagesAddress(place)}&find=PAN`)
  expect(some.text).toContain('1 of 2 pages')
  expect(some.text).not.toContain('>Pot</a>')
})

test('the chunks of a page are shown as they are searched', async () => {
  expect(pagesRoutes).toHaveLength(2)
  const { text } = await site.ask(`/chunks?${new URLSearchParams({ ...place, url: 'doc:/a/pan.md' })}`)
  expect(text).toContain('1 chunk of a page')
  expect(text).toContain('It &lt;fries&gt;.')
  expect(text).toMatch(/<p class="terms">[^<]*\bfri/)
})

test('what is not there is said', async () => {
  for (const path of ['/pages', '/pages?library=none&version=1', '/chunks?library=kitchen&version=1.0',
    '/chunks?library=kitchen&version=9&url=doc:/pot.md']) {
    const { status, text } = await site.ask(path)
    expect([path, status, text.includes('role="alert"')]).toEqual([path, 400, true])
  }
})
