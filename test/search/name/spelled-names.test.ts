import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createTempFolder, type TempFolder } from '../../../src/platform/file/files.ts'
import { spelledNames, spellingPattern } from '../../../src/search/name/spelled-names.ts'
import { openCollections, type OpenCollections } from '../../support/collections.ts'
import { writeGeneration } from '../../support/store.ts'

let temp: TempFolder
let collections: OpenCollections
beforeAll(async () => {
  temp = await createTempFolder('og-spelled')
  const texts = { 'a/head': 'Use `@app.head()`, `getItems` and `get_items` of it.' }
  await writeGeneration(temp.path, texts, { library: 'a' })
  const others = { 'b/scope': 'Set get-items or users:write, and never vite@5.3.' }
  await writeGeneration(temp.path, others, { library: 'b' })
  collections = await openCollections(temp.path)
})
afterAll(async () => {
  collections[Symbol.dispose]()
  await temp[Symbol.asyncDispose]()
})

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
