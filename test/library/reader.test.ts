import { expect, test } from 'bun:test'
import { openReader } from '../../src/library/reader.ts'
import { openMcpHome } from '../support/mcp.ts'
import type { OgView } from '../../src/open.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

test('opens the store at the first call, and rethrows its error', async () => {
  let opened = 0
  const reader = openReader(async () => {
    opened++
    throw new Error('no store')
  })
  expect(opened).toBe(0)
  const anywhere = { library: null, version: null }
  const { evaluate, health, ...questions } = reader
  for (const ask of Object.values(questions)) {
    const request = { ...anywhere, query: 'a', url: 'a', limit: 1, library: 'a' }
    expect(ask(request)).rejects.toThrow('no store')
  }
  expect(health(anywhere).next()).rejects.toThrow('no store')
  expect(opened).toBe(6)
})

test('searches the libraries of the store', async () => {
  await using home = await openMcpHome()
  await home.add('kit', '1', { 'a.md': '# A\n\nzither\n' })
  const kit = { library: 'kit', version: null }
  expect([...(await home.og.pages(kit)).keys()]).toEqual(['doc:/a.md'])
  expect(await home.og.chunks({ ...kit, url: 'doc:/a.md' })).toMatchObject([{ heading: 'A' }])
})

const home = disposeAfterAll(await openMcpHome())
await home.add('open-kit', '1', { 'a.md': '# A\n\nzither\n' })
await home.add('open-kid', '2', { 'secret.md': '# Secret\n\nzither hurdygurdy\n' })
const view: OgView = home.og.seenAs((library) => library === 'open-kit')

const anywhere = { library: null, version: null }
const hidden = { library: 'open-kid', version: null }

/** Returns the message of the error. */
async function said(asked: Promise<unknown>): Promise<string> {
  const error = await asked.then(
    () => null,
    (error) => error,
  )
  return error === null ? 'no error' : `${error.message}; ${error.hint}`
}

test('shows only permitted libraries, and reuses open generations', async () => {
  const { hits, searched } = await view.search({ query: 'zither', ...anywhere, limit: 9 })
  expect(hits.map(({ library }) => library)).toEqual(['open-kit'])
  expect(searched.map(({ library }) => library)).toEqual(['open-kit'])
  expect((await home.og.search({ query: 'zither', ...anywhere, limit: 9 })).hits).toHaveLength(2)
  const names = (all: readonly { library: string }[]) => all.map(({ library }) => library)
  expect(names(await home.og.warm())).toEqual(['open-kid', 'open-kit'])
  expect(names(await view.warm())).toEqual(['open-kit'])
  expect(names(await view.list())).toEqual(['open-kit'])
  expect(names(await view.holdings())).toEqual(['open-kit'])
  expect(await view.page({ url: 'doc:/secret.md', ...anywhere })).toBe(null)
  expect(await view.pagesNear({ url: 'doc:/secret.md', ...anywhere })).not.toContain(
    'doc:/secret.md',
  )
})

test('reports a hidden library in the same words as a missing one', async () => {
  const missing = 'Library "open-kid" not found; did you mean "open-kit"?'
  expect(await said(view.search({ query: 'zither', ...hidden, limit: 1 }))).toBe(missing)
  expect(await said(view.page({ url: 'doc:/secret.md', ...hidden }))).toBe(missing)
  expect(await said(view.pages(hidden))).toBe(missing)
  expect(await said(view.chunks({ url: 'doc:/secret.md', ...hidden }))).toBe(missing)
  expect(await said(view.health(hidden).next())).toBe(missing)
  const change = { library: 'open-kid', version: '2', lockTimeoutMs: 1_000 }
  expect(await said(view.remove(change))).toBe(missing)
  expect(await said(view.rollback(change))).toBe(missing)
  const visible = { library: 'open-kit', version: null }
  expect(await said(view.diffApi({ from: hidden, to: null, text: '' }))).toBe(missing)
  expect(await said(view.diffApi({ from: visible, to: hidden, text: '' }))).toBe(missing)
  expect(await home.og.list()).toHaveLength(2)
})

test('does not suggest a hidden library for a misspelt name', async () => {
  const asked = view.search({ query: 'zither', library: 'open-ki', version: null, limit: 1 })
  expect(await said(asked)).toBe('Library "open-ki" not found; did you mean "open-kit"?')
  const nothing = home.og.seenAs(() => false)
  expect(await nothing.search({ query: 'zither', ...anywhere, limit: 1 })).toMatchObject({
    hits: [],
  })
})
