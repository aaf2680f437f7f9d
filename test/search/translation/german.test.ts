import { expect, test } from 'bun:test'
import { germanClause, germanStem, germanStems } from '../../../src/search/translation/german.ts'

/** Checks whether a folded form has the same stem as the word. */
function check(form: string, word: string) {
  expect([form, germanStems(form)]).toEqual([form, expect.arrayContaining([germanStem(word)])])
}

test('stems endings, participles, infinitives with zu, and strong verbs', () => {
  check('abhangigkeiten', 'abhangigkeit')
  check('aktualisierung', 'aktualisieren')
  check('geloscht', 'loschen')
  check('eingefugte', 'einfugen')
  check('abzubrechen', 'abbrechen')
  check('abgebrochen', 'abbrechen')
  check('ubernimmt', 'ubernehmen')
  check('loeschen', 'loschen')
})

test('joins a prefix at the end of a clause with its verb', () => {
  const isVerb = (stem: string) => stem === germanStem('aufteilen')
  expect(germanClause(['teile', 'die', 'Datei', 'auf'], isVerb)).toEqual([
    'aufteile',
    'die',
    'Datei',
  ])
  expect(germanClause(['warte', 'auf'], isVerb)).toEqual(['warte', 'auf'])
  expect(germanClause(['teile', 'auf', 'Datei'], isVerb)).toEqual(['teile', 'auf', 'Datei'])
})
