import { expect, test } from 'bun:test'
import { openObservers, observerOptionsOf } from '../../../../src/cli/commands/server/serve.ts'
import { openMcpHome } from '../../../support/mcp.ts'

test('requires --audit for --audit-queries', () => {
  const typed = { audit: null, 'audit-queries': false, metrics: false }
  expect(observerOptionsOf(typed)).toEqual({ audit: null, hasQueries: false, isScraped: false })
  expect(() => observerOptionsOf({ ...typed, 'audit-queries': true })).toThrow('needs "--audit"')
})

test('observes calls only if an option enables it', async () => {
  await using home = await openMcpHome()
  const nothing = { audit: null, hasQueries: false, isScraped: false }
  const check = async (wish: object, heard: boolean[]) => {
    const surrounding = { env: {}, warn() {} }
    using watch = await openObservers(home.og, { ...nothing, ...wish }, surrounding)
    expect([watch.observe !== null, watch.scrape !== null]).toEqual(heard)
  }
  await check({}, [false, false])
  await check({ audit: '-' }, [true, false])
  await check({ isScraped: true }, [true, true])
})
