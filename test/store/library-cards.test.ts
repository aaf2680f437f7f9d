import { expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import {
  cardOf,
  libraryCards,
  libraryCardsName,
  nearestCentre,
} from '../../src/store/library-cards.ts'
import { indexOfTerm } from '../../src/store/postings.ts'
import { removeVersion } from '../../src/library/rollback.ts'
import { readEntries, type Entry } from '../../src/store/registry.ts'
import { writeFiles } from '../support/repository.ts'
import { openTestStore } from '../support/test-store.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-cards'))
const store = disposeAfterAll(openTestStore(join(temp.path, 'store')))
for (const name of ['one', 'two']) {
  const docs = join(temp.path, name)
  writeFiles(docs, { 'a.md': `# Apples\n\nPeel ${name}.\n`, 'b.md': '# Pears\n\nPeel.\n' })
  await store.add(name, docs)
}

const path = () => join(store.folder, libraryCardsName)

/** Returns the cards as a new process reads them. */
async function cardsNow() {
  const entries = await readEntries(store.folder)
  return { entries, cards: await libraryCards(store.folder, entries, new Map()) }
}

test('describes the terms and the pages of a library', async () => {
  const { entries, cards } = await cardsNow()
  const card = cards.get(entries[0]!.live.id)!
  const pagesWith = (term: string) => card.counts[indexOfTerm(card.hashes, term)]
  expect(card.pages).toBe(2)
  expect([pagesWith('peel'), pagesWith('pear'), pagesWith('plum')]).toEqual([2, 1, undefined])
})

test('reads the same cards from the file', async () => {
  const before = await cardsNow()
  const bytes = readFileSync(path())
  const after = await cardsNow()
  expect(after.cards).toEqual(before.cards)
  expect(readFileSync(path())).toEqual(bytes)
})

test('computes cards again if the file is missing, damaged or in a different format', async () => {
  const { cards } = await cardsNow()
  const whole = readFileSync(path())
  const flipped = Buffer.from(whole)
  flipped[whole.length - 9]! ^= 1
  for (const bytes of [Buffer.alloc(0), whole.subarray(0, 40), flipped, Buffer.alloc(200, 65)]) {
    writeFileSync(path(), bytes)
    expect((await cardsNow()).cards).toEqual(cards)
    expect(readFileSync(path())).toEqual(whole)
  }
  rmSync(path())
  expect((await cardsNow()).cards).toEqual(cards)
})

test('follows libraries that are added, updated and removed', async () => {
  const docs = join(temp.path, 'three')
  writeFiles(docs, { 'a.md': '# Plums\n\nPeel.\n' })
  await store.add('three', docs)
  const added = await cardsNow()
  expect(added.cards.size).toBe(3)
  writeFiles(docs, { 'a.md': '# Cherries\n\nPit.\n' })
  await store.add('three', docs)
  const updated = await cardsNow()
  const id = updated.entries.find(({ library }) => library === 'three')!.live.id
  const { hashes } = updated.cards.get(id)!
  expect(indexOfTerm(hashes, 'cherri')).toBeGreaterThanOrEqual(0)
  expect(indexOfTerm(hashes, 'plum')).toBeLessThan(0)
  const ids = (entries: Entry[]) => entries.map(({ live }) => live.id).sort()
  expect([...updated.cards.keys()].sort()).toEqual(ids(updated.entries))
  await removeVersion(store.folder, { library: 'three', version: '1', lockTimeoutMs: 10_000 })
  rmSync(path())
  const removed = await cardsNow()
  expect(removed.cards.size).toBe(2)
  expect([...removed.cards.keys()].sort()).toEqual(ids(removed.entries))
})

test('deletes temporary files of killed writers, but not of running ones', async () => {
  const [old, recent] = ['1', '2'].map((name) => join(store.folder, `.${libraryCardsName}.${name}`))
  writeFileSync(old!, 'half')
  utimesSync(old!, 0, 0)
  writeFileSync(recent!, 'half')
  rmSync(path())
  await cardsNow()
  expect([old!, recent!].map((it) => existsSync(it))).toEqual([false, true])
})

test('skips a generation without a readable page index', async () => {
  const { live } = (await readEntries(store.folder))[0]!
  const index = join(store.folder, 'generations', live.id, 'page-index.bin')
  const whole = readFileSync(index)
  writeFileSync(index, whole.subarray(0, whole.length - 1))
  rmSync(path())
  const { cards } = await cardsNow()
  writeFileSync(index, whole)
  expect(cards.has(live.id)).toBe(false)
})

test('represents many pages by centres of length 1', () => {
  const dimensions = 4
  const vectors = new Float32Array(200 * dimensions)
  for (let row = 0; row < 200; row++) vectors[row * dimensions + (row % 4)] = 1 + row / 200
  const empty = { hashes: new Uint32Array(), counts: new Uint32Array() }
  const card = cardOf({ pages: 200, vectors, dimensions, ...empty })
  expect(card.scales.length).toBe(32)
  expect(nearestCentre(card, Float32Array.of(0, 0, 1, 0))).toBeCloseTo(1, 2)
  expect(nearestCentre(card, Float32Array.of(0, 0, 1))).toBeNull()
})
