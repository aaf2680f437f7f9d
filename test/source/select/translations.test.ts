import { describe, expect, test } from 'bun:test'
import { otherLanguages } from '../../../src/source/select/translations.ts'

/** `left` names what is left out of `paths`. */
function check(name: string, paths: string[], left: string[], languages: string[] = []) {
  test(name, () => {
    const found = otherLanguages(paths, { languages })
    expect([...found.keys()]).toEqual(left)
  })
}

describe('W-22 where no language is asked for', () => {
  check(
    'translations of English pages are left out',
    ['docs/en/a.md', 'docs/de/a.md', 'docs/pt-br/a.md', 'docs/zh_Hans/a.md', 'docs/en-GB/a.md'],
    ['docs/de/a.md', 'docs/pt-br/a.md', 'docs/zh_Hans/a.md'],
  )
  check(
    'and of pages whose language is not named',
    ['guide/a.md', 'fr/guide/a.md', 'a.md', 'ja/a.md', 'keys.html', 'keys.de.html', 'keys.en.html'],
    ['fr/guide/a.md', 'ja/a.md', 'keys.de.html'],
  )
  check(
    'also where Docusaurus keeps them',
    ['docs/a.md', 'i18n/fr/docusaurus-plugin-content-docs/current/a.md', 'i18n/fr/b.md'],
    ['i18n/fr/docusaurus-plugin-content-docs/current/a.md'],
  )
  check(
    'what is there in one language only stays',
    [
      'docs/en/a.md',
      'docs/de/only.md',
      'es/query.md',
      'api/id/get.md',
      'docs/ja/x.md',
      'docs/ko/x.md',
    ],
    [],
  )
})

describe('W-22 of the languages asked for', () => {
  const paths = ['docs/en/a.md', 'docs/de/a.md', 'docs/de-AT/a.md', 'docs/a.md', 'b.fr.md']
  check('the others are left out', paths, ['docs/en/a.md', 'b.fr.md'], ['de'])
  check('several', paths, ['docs/de/a.md', 'docs/de-AT/a.md'], ['en', 'fr'])
  check('all', paths, [], ['*'])
  check(
    'what only looks like a language, far down, stays',
    ['docs/a/b/c/es/x.md', 'ts/x.md', 'to/x.md'],
    [],
    ['en'],
  )
})

test('a folder that was named itself is read, whatever its name', () => {
  const options = { languages: ['en'], baseOf: () => 'docs/de' }
  expect(otherLanguages(['docs/de/a.md'], options).size).toBe(0)
  expect([...otherLanguages(['docs/de/fr/a.md'], options)]).toEqual([
    ['docs/de/fr/a.md', 'in another language (fr)'],
  ])
})
