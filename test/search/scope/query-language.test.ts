import { expect, test } from 'bun:test'
import { detectQueryLanguage } from '../../../src/search/scope/query-language.ts'

function check(query: string, expected: string | null) {
  expect(`${query}: ${detectQueryLanguage(query)}`).toBe(`${query}: ${expected}`)
}

test('detects sentences by their function words', () => {
  check('how do I run work after the response is sent', 'en')
  check('What is the default timeout?', 'en')
  check('wie deklariere ich einen optionalen Parameter', 'de')
  check('Hintergrundaufgaben nach der Antwort ausführen', 'de')
  check('comment déclarer un paramètre optionnel', 'fr')
  check('cómo declarar un parámetro opcional', 'es')
  check('como fazer upload de arquivos', 'pt')
  check('come si usa una dipendenza', 'it')
  check('hoe gebruik ik een achtergrondtaak', 'nl')
  check('jak dodać parametr do zapytania', 'pl')
  check('bir parametre nasıl tanımlanır', 'tr')
})

test('detects languages by their script', () => {
  check('クエリパラメータ', 'ja')
  check('可选参数', 'zh')
  check('매개변수', 'ko')
  check('как объявить параметр', 'ru')
  check('що таке залежність і як її оголосити', 'uk')
  check('παράμετρος', 'el')
  check('معامل', 'ar')
  check('פרמטר', 'he')
})

test('detects no language for names, error messages and single words', () => {
  const silent = [
    '',
    'useEffect',
    '$lookup',
    '--no-cache',
    'optional query parameter',
    'run as a service',
    'import a module',
    'TypeError: x is undefined',
    'docker compose',
    'de facto',
    'E11000',
    'no module named os',
    'µs resolution',
  ]
  for (const query of silent) {
    const found = detectQueryLanguage(query)
    expect(`${query}: ${found === 'en' ? null : found}`).toBe(`${query}: null`)
  }
})
