import { expect, test } from 'bun:test'
import {
  searchAddress,
  searchFields,
  scopeOfFields,
} from '../../../src/web/search/search-fields.ts'

const typed = (text: string) => searchFields(new URLSearchParams(text))

test('the URL contains the whole state of the form', () => {
  const address = '/?q=a+b%26&library=x&version=1.0&path=guide%2F**&kind=guide&language=de'
  expect(searchAddress(typed(address.slice(2)))).toBe(address)
  expect(searchAddress(typed(''))).toBe('/')
})

test('converts the form to a search scope', () => {
  expect(
    scopeOfFields(
      typed('q=a&library=x@1.0&path=a/{b,c}/*,!d&kind=guide,reference&language=de, fr'),
    ),
  ).toEqual({
    library: 'x',
    version: '1.0',
    filter: { paths: ['a/{b,c}/*', '!d'], kinds: ['guide', 'reference'], languages: ['de', 'fr'] },
  })
  expect(() => scopeOfFields(typed('kind=x'))).toThrow('Unknown kind of page "x"')
})
