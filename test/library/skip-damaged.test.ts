import { expect, test } from 'bun:test'
import {
  type OpenVersions,
  type OpenEntries,
  toDamagedVersion,
  skipDamaged,
} from '../../src/library/entries.ts'
import { Damage } from '../../src/store/integrity/damage.ts'
import type { Entry } from '../../src/store/registry.ts'
import { entryOf, generationNamed } from '../support/store.ts'

const all = ['a', 'b', 'c'].map((name) => entryOf(name, generationNamed(name)))
const damage = (name: string) =>
  new Damage(all.find(({ library }) => library === name)!, 'a file is cut')

/** Returns the picked entries without opening files. */
const entries = Object.assign(
  async (pick: (all: Entry[]) => Entry[]) =>
    pick(all).map((entry) => ({ entry })) as unknown as OpenVersions,
  { [Symbol.dispose]() {} },
) as OpenEntries

/**
 * Requests all undamaged entries and reports those in `bad` as damaged; returns the entries of each
 * attempt.
 */
async function asked(bad: string[]) {
  const turns: string[] = []
  const answer = await skipDamaged(entries, async (sound, broken) => {
    const names = (await sound((some) => some)).map(({ entry }) => entry.library)
    turns.push(`${names.join('')} without ${broken.map(({ library }) => library).join('')}`)
    for (const name of bad) if (names.includes(name)) throw damage(name)
    return names.join('')
  })
  return { answer, turns }
}

test('skips a damaged library and searches the others again', async () => {
  expect(await asked([])).toEqual({ answer: 'abc', turns: ['abc without '] })
  expect(await asked(['c', 'a'])).toEqual({
    answer: 'b',
    turns: ['abc without ', 'ab without c', 'b without ca'],
  })
})

test('lets the caller choose among the undamaged entries', async () => {
  const picked = await skipDamaged(entries, async (sound, broken) => {
    if (broken.length === 0) throw damage('a')
    return (await sound((some) => some.slice(0, 2))).map(({ entry }) => entry.library)
  })
  expect(picked).toEqual(['b'])
})

test('rethrows other errors, and the damage of an entry that was already skipped', async () => {
  let turns = 0
  const failing = (error: Error) =>
    skipDamaged(entries, async () => {
      turns++
      throw error
    })
  await expect(failing(new Error('no disk'))).rejects.toThrow('no disk')
  expect(turns).toBe(1)
  const again = damage('a')
  await expect(failing(again)).rejects.toBe(again)
  expect(turns).toBe(3)
})

test('describes a damaged library and its repair in one line', () => {
  expect(toDamagedVersion(damage('a'))).toEqual({
    library: 'a',
    version: '1',
    problem: 'Cannot read library "a" version "1": a file is cut; og doctor --repair rebuilds it',
  })
})
