import { expect, test } from 'bun:test'
import { showPage } from '../../../src/page/show/show-page.ts'
import { ownAside } from '../../../src/platform/aside/aside.ts'

const page = { text: 'a *b*', markup: 'markdown' as const }

test('a page is shown here and aside alike', async () => {
  const shown = '<p>a <em>b</em></p>\n'
  expect(await showPage(page)).toBe(shown)
  expect(await ownAside().run<string>('show', page)).toBe(shown)
})
