import { afterAll, beforeAll, expect, test } from 'bun:test'
import { expectSearch } from '../../../src/web/search/expect-search.ts'
import { openTestSite, type TestSite } from '../../support/page/site.ts'
import { until } from '../../support/until.ts'

let site: TestSite
beforeAll(async () => {
  site = await openTestSite()
})
afterAll(() => site[Symbol.asyncDispose]())

test('where nothing is indexed nothing is opened', async () => {
  const { og } = site.home
  await expectSearch(og)
  expect(await og.warm()).toEqual([])
})

test('who opens the form finds the library open that will be searched', async () => {
  const { og } = site.home
  await site.add('kitchen', '1.0', { 'pot.md': '# Pot\n\nIt stews.\n' })
  await site.ask('/')
  await until('it is open', async () => (await og.warm()).length > 0)
  expect(await og.warm()).toEqual([{ library: 'kitchen', version: '1.0' }])
})
