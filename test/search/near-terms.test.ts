import { expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openWordList } from '../../src/embed/word-list.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import type { Collection } from '../../src/search/collection.ts'
import { textLane } from '../../src/search/lanes.ts'
import { correctedText, findNearTerms } from '../../src/search/near-terms.ts'
import { openCollections } from '../support/collections.ts'
import { writeGeneration } from '../support/store.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-near-terms'))
await writeGeneration(temp.path, { one: 'trim_wick of a lamp' }, { library: 'a' })
await writeGeneration(temp.path, { two: 'lightLamp and turn_wick' }, { library: 'b' })
const collections = disposeAfterAll(await openCollections(temp.path))
const asked: Collection[] = collections.asked()

async function check(text: string, expected: Record<string, string>) {
  const found = [...(await findNearTerms(asked, text))]
  expect(
    Object.fromEntries(found.map(([term, near]) => [term, near.map((it) => it.term).join(' ')])),
  ).toEqual(expected)
}

test('finds similar names in all libraries for a mistyped name', async () => {
  await check('trim_wikc', { trim_wikc: 'trim_wick', wikc: 'trim_wick' })
  await check('how do I use trimwick', { trimwick: 'trim_wick' })
  await check('lighLamp', { lighlamp: 'lightlamp', ligh: 'lightlamp' })
})

test('corrects a typing error in a sentence, preferring the more frequent word', async () => {
  await check('how is the lmap trimmed by night', { lmap: 'lamp' })
  await check('a lamp whose trimwick burns badly', { trimwick: 'trim_wick' })
  await check('how is the lamp ligthed by night', { ligth: 'light' })
  const slip = 'how is the lmap trimmed by night'
  expect(correctedText(slip, await findNearTerms(asked, slip))).toBe(
    'how is the lamp trimmed by night',
  )
})

test('does not replace an ordinary English word by its neighbour in letters', async () => {
  const path = join(temp.path, 'tokenizer.json')
  writeFileSync(path, '{"model":{"vocab":{"wack": 1, "lump": 2}}}')
  const text = 'how is the lump trimmed with a lmap'
  const near = await findNearTerms(asked, text, openWordList(path))
  expect([...near.keys()]).toEqual(['lmap'])
  expect([...(await findNearTerms(asked, text)).keys()]).toEqual(['lump', 'lmap'])
  expect([...(await findNearTerms(asked, text, openWordList(null))).keys()]).toHaveLength(2)
})

test('corrects neither known words nor synonyms in a sentence', async () => {
  await check('trim_wick', {})
  await check('trim_lamp', {})
  await check('boiler', {})
  await check('how does a lantern burn by night', {})
  await check('?!', {})
  await check('wie wird der lampen trimwick bei nacht benutzt', {})
})

test('searches full text for the similar terms', async () => {
  const near = await findNearTerms(asked, 'trimwick')
  const lane = (more: typeof near) => textLane(asked, 'trimwick', { limit: 5, near: more })
  expect((await lane(near)).map(({ url }) => url).sort()).toEqual(['one'])
  expect(await lane(new Map())).toEqual([])
})

test('corrects no term if a library has no page index', async () => {
  const [first] = asked
  const folder = join(temp.path, 'generations', first!.open.generation.id)
  rmSync(join(folder, 'page-index.bin'))
  using again = await openCollections(temp.path)
  expect(await findNearTerms(again.asked(), 'trimwick')).toEqual(new Map())
})

test('replaces a mistyped name only if the similar term is long', async () => {
  const meant = async (text: string) => correctedText(text, await findNearTerms(asked, text))
  expect(await meant('how do I use trim_wikc')).toBe('how do I use trim_wick')
  expect(await meant('how do I use trim_wick')).toBe('how do I use trim_wick')
  const short = new Map([['lmap', [{ term: 'lamp', likeness: 0.6 }]]])
  expect(correctedText('lmap', short)).toBe('lmap')
})
