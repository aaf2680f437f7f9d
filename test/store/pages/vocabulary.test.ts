import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { readVocabulary, writeVocabulary } from '../../../src/store/pages/vocabulary.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-vocabulary'))

async function check(typed: string, terms: string, expected: string) {
  await writeVocabulary(temp().path, terms.split(' '))
  const found = (await readVocabulary(temp().path))!.near(typed, 2)
  expect(found.map(({ term }) => term).join(' ')).toBe(expected)
}

const names = 'lamp placement_group remove_placement_group useeffect wick 2026-01-31 plâcement'

test('finds a mistyped name', async () => {
  await check('placment_group', names, 'placement_group')
  await check('palcement_group', names, 'placement_group')
  await check('placementgroup', names, 'placement_group')
  await check('useefect', names, 'useeffect')
  await check('useeffect', names, 'useeffect')
})

test('returns the most similar terms first, and no terms below the limit', async () => {
  await check('lamps', 'lamb lampshade lamp', 'lamp')
  await check('tuner.fit', 'tuner.fits tuner.fit_ tuner', 'tuner.fit_ tuner.fits')
  await check('boiler', names, '')
  await check('wick', '', '')
  await check('dôme', 'dome', '')
})

test('finds the spellings of a name by its letters', async () => {
  const terms = ['on-aux-click', '$on_aux_click', 'onauxclick', 'onauxclicks', 'an-aux-click', 'on']
  await writeVocabulary(temp().path, terms)
  const { spelled } = (await readVocabulary(temp().path))!
  expect(spelled('onauxclick').sort()).toEqual(['$on_aux_click', 'on-aux-click', 'onauxclick'])
  for (const letters of ['onaux', 'on-aux', '', 'clickauxon']) expect(spelled(letters)).toEqual([])
})

test('measures similarity as the share of common trigrams', async () => {
  await writeVocabulary(temp().path, ['abcdef'])
  const vocabulary = (await readVocabulary(temp().path))!
  expect(vocabulary.near('abcdef', 1)).toEqual([{ term: 'abcdef', likeness: 1 }])
  // Each word has six trigrams; both words have ^ab, abc, bcd and cde.
  expect(vocabulary.near('abcdeg', 1)[0]!.likeness).toBeCloseTo(8 / 12, 5)
})

test('returns null if the file is missing, and reads the start of a truncated file', async () => {
  expect(await readVocabulary(temp().path)).toBeNull()
  await Bun.write(join(temp().path, 'vocabulary.txt'), '\nlamps\nwic')
  expect((await readVocabulary(temp().path))!.near('lamps', 1)).toHaveLength(1)
  await Bun.write(join(temp().path, 'vocabulary.txt'), '')
  expect((await readVocabulary(temp().path))!.near('lamps', 1)).toEqual([])
})
