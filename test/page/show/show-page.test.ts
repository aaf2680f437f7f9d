import { expect, test } from 'bun:test'
import { showPage } from '../../../src/page/show/show-page.ts'
import { sharedSandbox } from '../../../src/platform/sandbox/sandbox.ts'

const page = { text: 'a *b*', markup: 'markdown' as const }

test('renders a page identically in this process and in the sandbox, piece by piece', async () => {
  const here: string[] = []
  await showPage(page, async (piece) => here.push(piece))
  expect(here).toEqual(['0 <p>a <em>b</em></p>\n', '1 '])
  const aside: string[] = []
  const answer = async (piece: string) => aside.push(piece)
  await sharedSandbox().run('show', page, { answer })
  expect(aside).toEqual(here)
})
