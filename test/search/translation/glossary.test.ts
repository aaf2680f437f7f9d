import { expect, test } from 'bun:test'
import french from '../../../data/translation/french.txt' with { type: 'text' }
import german from '../../../data/translation/german.txt' with { type: 'text' }
import { clausesOf, foldAccents, readGlossary } from '../../../src/search/translation/glossary.ts'

test('finds a form as written and by the stems of its words', () => {
  const { words, stems, longest } = readGlossary(
    '# colours\nrot, hell rot = deep red\nder =\n',
    (word) => word.slice(0, 2),
  )
  expect([...words]).toEqual([
    ['rot', 'deep red'],
    ['hell rot', 'deep red'],
    ['der', ''],
  ])
  expect([...stems]).toEqual([
    ['ro', 'deep red'],
    ['he ro', 'deep red'],
  ])
  expect(longest).toBe(2)
})

test('folds words, separates elided words, and ends clauses at punctuation', () => {
  expect(foldAccents('Größe Œuvre Été')).toBe('grosse oeuvre ete')
  expect(clausesOf('Wenn ja, warum? (Docker) d’un app.get() v1.2.')).toEqual([
    ['Wenn', 'ja'],
    ['warum'],
    ['Docker', 'd', 'un', 'app.get()', 'v1.2'],
  ])
})

for (const [language, text] of Object.entries({ french, german })) {
  test(`${language}: parses every line, and no form occurs twice`, () => {
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(
      lines.filter((line) => !/^[\p{L}' -]+(, [\p{L}' -]+)* =( [a-z-]+[a-z -]*)?$/u.test(line)),
    ).toEqual([])
    const forms = lines.flatMap((line) => line.split(' =')[0]!.split(', '))
    expect(forms.filter((form, i) => forms.indexOf(form) !== i)).toEqual([])
    expect(forms.length).toBeGreaterThan(1000)
  })
}
