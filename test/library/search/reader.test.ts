import { expect, test } from 'bun:test'
import { openReader } from '../../../src/library/search/reader.ts'
import { openMcpHome } from '../../support/mcp.ts'

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
