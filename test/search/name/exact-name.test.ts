import { expect, test } from 'bun:test'
import {
  exactName,
  nameFinder,
  namedWords,
  findNames,
} from '../../../src/search/name/exact-name.ts'
import { checkGrowth } from '../../support/pages/check-growth.ts'

/** Returns the core of the name in a query, or null if the query is not a name. */
function checkName(query: string, core: string | null): void {
  expect([query, exactName(query)?.core ?? null]).toEqual([query, core])
}

test('treats a single word as a name, even between symbols', () => {
  checkName('include_in_schema', 'include_in_schema')
  checkName('--reload', 'reload')
  checkName('`X-Token`', 'X-Token')
  checkName('"useEffect()"', 'useEffect')
  checkName('@app.get', 'app.get')
  checkName('@scope/pkg', 'scope/pkg')
  checkName('$lookup', 'lookup')
  checkName('.env', 'env')
  checkName('0.115.0', '0.115.0')
  checkName('HTTP_404_NOT_FOUND?', 'HTTP_404_NOT_FOUND')
  checkName('background', 'background')
  checkName('what is a raylet?', 'raylet')
  checkName('what does --reload do', 'reload')
})

test('rejects a question, bare punctuation and an overlong word', () => {
  checkName('how do I run work later', null)
  checkName('what is the best way', null)
  checkName('???', null)
  checkName('', null)
  checkName('a'.repeat(500), null)
})

/** Returns the form in which a text contains a name, or null if it does not contain it. */
function checkForm(query: string, text: string, form: string | null): void {
  const found = nameFinder(exactName(query)!)(text)
  expect([query, text, found?.form ?? null]).toEqual([query, text, form])
}

test('finds a word with ß by its spelling with ss, and the other way round', () => {
  checkForm('GRÖSSE', 'Die Größe der Straße', 'spelling')
  checkForm('Grösse', 'Die Größe der Straße', 'core')
  checkForm('Strasse', 'Die Größe der Straße', 'core')
  checkForm('Straße', 'Die Grösse der STRASSE', 'spelling')
  checkForm('Straße', 'Die Straße', 'typed')
  checkForm('--SSL', 'use SSL', 'core')
  checkForm('Masse', 'die Massen', null)
  checkForm('access', 'an access log', 'typed')
})

test('finds a name as a whole token, and prefers its exact spelling', () => {
  checkForm('include_in_schema', 'set `include_in_schema=False`', 'typed')
  checkForm('include_in_schema', 'set include\\_in\\_schema to', 'core')
  checkForm('include_in_schema', 'do_include_in_schema_now', null)
  checkForm('include_in_schema', 'includeInSchema', 'spelling')
  checkForm('include_in_schema', 'include in schema', 'words')
  checkForm('include_in_schema', 'include it in the schema', null)
  checkForm('--reload', 'run with `--reload` first', 'typed')
  checkForm('--reload', 'to reload it', 'core')
  checkForm('reload', 'run with --reload first', 'typed')
  checkForm('cors', 'About CORS', 'typed')
  checkForm('CORS', 'about cors', 'spelling')
  checkForm('app.get', '@app.get("/")', 'typed')
  checkForm('Effect', 'useEffect', null)
  checkForm('C++', 'in C++ and C', 'typed')
  checkForm('0.115.0', '## 0.115.0', 'typed')
  checkForm('0.115.0', '## 0.115.01', null)
})

test('returns the position of a name with symbols, after other text with its words', () => {
  for (const [query, text, form] of [
    ['--no-cache', 'İ no cached, cache\u{1f600} `--no-cache`', 'typed'],
    ['--no-cache', 'no cached, \\-\\-no\\-cache', 'core'],
    ['HTTPException', 'an httpexceptions, HTTP exception', 'words'],
    ['server.proxy', 'serverless, Server.Proxy', 'spelling'],
  ] as const) {
    const at = /-+no-cache|\\-\\-no|HTTP ex|Server\./.exec(text)!.index
    expect([query, nameFinder(exactName(query)!)(text)]).toEqual([query, { form, at }])
  }
})

test('finds the names inside a question that look like code', () => {
  const check = (text: string, cores: string[]) =>
    expect(findNames(text).map(({ core }) => core)).toEqual(cores)
  check('how do I use include_in_schema with APIRouter?', ['include_in_schema', 'APIRouter'])
  check('what does `age` do', ['age'])
  check('run it with --reload', ['reload'])
  check('why is it so slow.', [])
  check('servers, e.g. and/or clients, i.e. both', [])
})

test('returns the words of a query that may be a name', () => {
  const check = (text: string, words: string) => expect(namedWords(text).join(' ')).toBe(words)
  check(' On aux  click', 'on aux click')
  check('vite 5 3', 'vite 5 3')
  check('crank', '')
  check('what is on, aux', '')
  check('a question of more than eight words is one', '')
})

test('searches text for a name in linear time', () => {
  const find = nameFinder(exactName('a_b_c_d')!)
  checkGrowth((length) => 'a_b '.repeat(length / 4), find)
  checkGrowth((length) => 'a\\_'.repeat(length / 3), find)
  checkGrowth((length) => `a${' '.repeat(length)}`, find)
})

test('counts positions in a text that is longer in lower case', () => {
  expect(nameFinder(exactName('cookies')!)('İ `cookies` here')?.at).toBe(3)
})
