import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readAddress } from '../../../src/web/read/read-address.ts'
import { readRoutes } from '../../../src/web/read/read-page.ts'
import { openTestSite, type TestSite } from '../../support/page/site.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
  await site.add('kitchen', '1.0', {
    'pot.md': '# Pot\n\nIt stews.\n\n## Lid\n\nSee [kettle](kettle.md#Water).\n\n## Lid\n\nAgain.\n',
    'kettle.md': '# Kettle\n\n<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n',
  })
})
afterAll(() => site[Symbol.asyncDispose]())

const place = { library: 'kitchen', version: '1.0' }

async function read(path: string, more = {}): Promise<string> {
  const [address] = readAddress({ ...place, url: `doc:/${path}`, ...more }).split('#')
  const { status, text } = await site.ask(address!)
  expect(status).toBe(200)
  return text
}

test('a page is read with its outline, and links stay inside', async () => {
  const text = await read('pot.md')
  expect(text).toContain('<h2 id="lid">Lid</h2>')
  expect(text).toContain('<h2 id="lid-1">Lid</h2>')
  expect(text).toContain('<li class="level-2"><a href="#lid-1">Lid</a></li>')
  const there = readAddress({ ...place, url: 'doc:/kettle.md', anchor: 'Water' })
  expect(text).toContain(`<a href="${there.replaceAll('&', '&amp;')}">kettle</a>`)
})

test('the lines that were found are marked, and the first of them is the place to go to', async () => {
  expect(readAddress({ ...place, url: 'a', from: 3, to: 4 })).toEndWith('&lines=3-4#here')
  const text = await read('pot.md', { from: 7, to: 11 })
  expect(text).toContain('<p>It stews.</p>\n<h2 id="lid">Lid</h2>\n<div id="here" class="here"><p>See ')
  expect(text).toContain('<p>Again.</p>\n</div>')
})

test('nothing of a page runs', async () => {
  const text = await read('kettle.md')
  expect(text).not.toContain('alert')
  expect(text).not.toContain('<img')
})

test('what is not there is said', async () => {
  expect(readRoutes).toHaveLength(1)
  for (const asked of ['', '?url=none', '?url=doc:/pot.md&library=none', '?lines=x&url=none']) {
    const { status, text } = await site.ask(`/read${asked}`)
    expect(status).toBe(400)
    expect(text).toContain('role="alert"')
  }
})
