import { expect, test } from 'bun:test'
import { translateWords } from '../../../src/search/translation/translate.ts'
import { cpuMs } from '../../support/pages/cpu-time.ts'

function check(language: string, text: string, expected: string) {
  const isKnown = (term: string) => ['cooki', 'server', 'kettl'].includes(term)
  const english = translateWords(text, language, { isKnown })
  expect(english.map((one) => one.english ?? one.source).join(' ')).toBe(expected)
}

test('translates German inflections, separable verbs and compounds, and drops function words', () => {
  check('de', 'Wie lösche ich alle abgelaufenen Sitzungen?', 'delete all expire session')
  check('de', 'Wie schalte ich die Warnungen aus?', 'disable warning')
  check('de', 'Datenbankverbindungen schließen', 'database connect close')
  check('de', 'Sitzungscookie setzen', 'session cookie set')
  check('de', 'die Dateigröße', 'file size')
  check('de', 'und-oder Datei', 'file')
  check('de', 'grosse Schluessel loeschen', 'large key delete')
})

test('translates French inflections, elisions and multi-word terms', () => {
  check('fr', "supprimer les fichiers de l'utilisateur", 'delete file user')
  check('fr', 'vérifier les mots de passe', 'check password')
  check('fr', 'taille de la file d’attente', 'size queue')
})

test('keeps names and words that the glossary cannot translate', () => {
  check('de', 'Wie verwende ich useKettle() im Server?', 'use useKettle() server')
  check('de', 'API-Schlüssel für Kettle', 'API key Kettle')
  check('fr', 'le paramètre --no-lamp de Zork', 'parameter --no-lamp Zork')
})

test('translates any word in bounded time', () => {
  const known = ['data', 'base', 'databas', 'xqxq']
  const parts = ['database', 'datenbank', 'data', 'en', 'ung', 'xqxq', 'ge', 'ö']
  const long = parts.map((part) => `xqxq${part.repeat(2000 / part.length)}`)
  const short = parts.map((part) => `xqxq${part.repeat(40)}`.slice(0, 40))
  const parted = parts.map((part) => `${`xqxq${part}-`.repeat(200)} ${part.repeat(250)}auf auf`)
  const spentMs = cpuMs(() => {
    const isKnown = (term: string) => known.includes(term)
    for (const word of [...long, ...short, ...parted, `xqxq${'database'.repeat(3)}`]) {
      translateWords(word, 'de', { isKnown })
      translateWords(word, 'fr', { isKnown })
    }
  })
  expect(spentMs).toBeLessThan(1500)
})

test('does not translate a word of hundreds of letters', () => {
  check('de', `löschen ${'datenbank'.repeat(30)}`, `delete ${'datenbank'.repeat(30)}`)
  check('de', 'Datenbankverbindungszeitbegrenzung', 'database connect time limit')
})
