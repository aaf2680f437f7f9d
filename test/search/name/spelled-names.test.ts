import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { spelledNames, spellingPattern } from '../../../src/search/name/spelled-names.ts'
import { openCollections } from '../../support/collections.ts'
import { writeGeneration } from '../../support/store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-spelled'))
const texts = { 'a/head': 'Use `@app.head()`, `getItems` and `get_items` of it.' }
await writeGeneration(temp.path, texts, { library: 'a' })
const others = { 'b/scope': 'Set get-items or users:write, and never vite@5.3.' }
await writeGeneration(temp.path, others, { library: 'b' })
const collections = disposeAfterAll(await openCollections(temp.path))

async function check(text: string, expected: string[], copies = 1) {
  const asked = Array.from({ length: copies }, () => collections.asked()).flat()
  expect((await spelledNames(asked, text)).sort()).toEqual(expected)
}

test('finds names with any symbols, in all libraries', async () => {
  await check('app head', ['@app.head'])
  await check('Get Items', ['get-items', 'get_items', 'getitem'])
  await check('users write', ['users:write'])
  await check('vite 5 3', ['vite@5.3'])
})

test('finds nothing for single words, sentences and other words', async () => {
  for (const text of ['getitems', 'head app', 'what are get items, please']) await check(text, [])
})

test('does not read the vocabularies of many libraries', async () => {
  await check('app head', ['@app.head'], 8)
  await check('app head', [], 9)
})

test('matches a spelling without blanks as a whole word', () => {
  const isMatch = (text: string) => spellingPattern('get items').test(text)
  expect(['`getItems`', 'a.get_items()', 'get::items', 'GET-ITEMS'].every(isMatch)).toBe(true)
  expect(['get items', 'widgetItems', 'get_itemset'].some(isMatch)).toBe(false)
})
