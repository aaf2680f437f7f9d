import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  versionsOfSameLibraries,
  addOtherVersions,
} from '../../../src/library/search/other-versions.ts'
import type { Hit } from '../../../src/library/library.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { readEntries, type Entry } from '../../../src/store/registry.ts'
import { writeFiles } from '../../support/repository.ts'
import { entryOf, generationNamed } from '../../support/store.ts'
import { openTestStore } from '../../support/test-store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const entry = (library: string, version: string) =>
  entryOf(library, generationNamed(`${library}-${version}`), version)

test('returns all versions of the chosen libraries that have several versions', () => {
  const all = [entry('a', '1'), entry('b', '1'), entry('a', '2'), entry('c', '1'), entry('c', '2')]
  const check = (picked: Entry[]) =>
    versionsOfSameLibraries(all, picked).map(({ library, version }) => `${library} ${version}`)
  expect(check([all[0]!])).toEqual(['a 1', 'a 2'])
  expect(check([all[0]!, all[2]!])).toEqual(['a 1', 'a 2'])
  expect(check([all[1]!])).toEqual([])
  expect(check([all[3]!, all[0]!])).toEqual(['c 1', 'c 2', 'a 1', 'a 2'])
})

test('compares the newest twelve of many versions', () => {
  const all = Array.from({ length: 15 }, (_, i) => entry('a', `1.${i}`))
  const versions = versionsOfSameLibraries(all, all.slice(0, 1)).map(({ version }) => version)
  expect(versions).toEqual(all.slice(3).map(({ version }) => version))
})

/** The texts contain no digits, because texts with different numbers never count as equal. */
const letters = 'abcdefghijklmnopqrstuvwxyz'
const words = (seed: string) =>
  ['o', 'i', 'a', 'e'].flatMap((first) => [...letters].map((last) => seed + first + last)).join(' ')
const page = (oil: string, more = '') =>
  `# Lamp\n\n${words('intro')}\n\n## Oil\n\n${oil}\n${more}\n## Wick\n\n${words('wick')}\n`
const temp = disposeAfterAll(await createTempFolder('og holding'))
const store = disposeAfterAll(openTestStore(join(temp.path, 'store')))
const docs = join(temp.path, 'docs')
const add = async (version: string, files: Record<string, string>, library = 'lamps') => {
  rmSync(docs, { recursive: true, force: true })
  writeFiles(docs, files)
  await store.add(library, docs, { version })
}
await add('1', { 'lamp.md': page(`Oil: ${words('oil')}`), 'old.md': '# Old\n\nonly here\n' })
await add('2', { 'lamp.md': page(`Oil: ${words('oil')}`) })
await add('3', { 'lamp.md': page(`*Oil*:   ${words('oil').replaceAll(' ', '\n')}`) })
await add('4', { 'lamp.md': page(`Oil: ${words('oil').replace('oilod ', 'and ')}`) })
await add('5', { 'lamp.md': page(`Oil: ${words('other')}`) })
await add('6', { 'moved.md': page(`Oil: ${words('oil')}`) })
await add('5', { 'lamp.md': page(`Oil: ${words('oil')}`) }, 'stoves')
const entries: Entry[] = await readEntries(store.folder)

/** Checks which versions contain these texts of the page of version 1. */
async function check(texts: string[], expected: string[], more: Partial<Hit> = {}) {
  const hit = {
    library: 'lamps',
    version: '1',
    path: 'lamp.md',
    heading: 'Lamp > Oil',
    ...more,
  } as Hit
  const siblings = entries.filter(({ library }) => library === 'lamps')
  const [held] = await addOtherVersions(store.entries, siblings, [{ hit, texts }])
  expect(held).toEqual({ ...hit, versions: expected })
}

const oil = `## Oil\n\nOil: ${words('oil')}`

test('lists versions with the same text in the same place, newest first', async () => {
  // Version 3 has the words on other lines, and version 4 has one different word.
  await check([oil], ['4', '3', '2', '1'])
  await check([`Oil: ${words('oil')}`], ['4', '3', '2', '1'])
})

test('accepts similar text only for a single text under the same heading', async () => {
  await check([oil], ['3', '2', '1'], { heading: 'Lamp > Somewhere' })
  await check([oil, `## Wick\n\n${words('wick')}`], ['3', '2', '1'])
})

test('rejects a page with another path, in another library, or with other words', async () => {
  await check(['only here'], ['1'], { path: 'old.md' })
  await check([words('nowhere')], ['1'])
  await check([words('other')], ['5', '1'])
})

test('ignores the texts of other libraries, even if they are hits', async () => {
  const [lamps, stoves] = ['lamps', 'stoves'].map((library) => ({
    hit: { library, version: library === 'lamps' ? '1' : '5', path: 'lamp.md', heading: '' } as Hit,
    texts: [oil],
  }))
  const held = await addOtherVersions(store.entries, entries, [lamps!, stoves!])
  expect(held.map(({ versions }) => versions)).toEqual([['3', '2', '1'], ['5']])
})

test('compares whole words', async () => {
  await check(['oiloa   oilob'], ['4', '3', '2', '1'])
  await check(['iloa   oilob'], ['1'])
})

test('opens no table if the library has only one version', async () => {
  const hit = { library: 'stoves', version: '5', path: 'lamp.md', heading: '' } as Hit
  const never = Object.assign(() => Promise.reject(new Error('opened')), { [Symbol.dispose]() {} })
  expect(await addOtherVersions(never, [], [{ hit, texts: ['x'] }])).toEqual([hit])
  const siblings = entries.filter(({ library }) => library === 'lamps')
  expect(await addOtherVersions(never, siblings, [{ hit, texts: ['x'] }])).toEqual([hit])
})
