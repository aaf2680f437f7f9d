import { expect, test } from 'bun:test'
import { openDuplicates } from '../../../src/source/web/duplicates.ts'

const site = 'https://x.org'
const listed = (path: string) => ({ url: site + path, lastmod: null, language: null })

type Found = [own: string, path: string, canonical: string | null]

/** Each place as its path, or `-` and why it is none. */
function check(listing: string[], found: Found[], expected: string[]): void {
  const duplicates = openDuplicates(listing.map(listed), [new URL(site)])
  const places = found.map(([own, path, canonical]) =>
    duplicates.place({
      listed: listed(own),
      url: site + path,
      canonical: canonical ? new URL(canonical) : null,
    }),
  )
  const shown = places.map((it) => ('url' in it ? it.url : `-${it.skipped}`))
  expect(shown.map((it) => it.replaceAll(site, ''))).toEqual(expected)
}

test('a page is left to the address that it names, where that is listed', () => {
  check(
    ['/a', '/a/index.html'],
    [
      ['/a', '/a', null],
      ['/a/index.html', '/a/index.html', `${site}/a`],
    ],
    ['/a', '-it is the page at /a'],
  )
  check(
    ['/old', '/new'],
    [
      ['/old', '/new', null],
      ['/new', '/new', null],
    ],
    ['-it is the page at /new', '/new'],
  )
})

test("an address that cannot be the page's is not believed", () => {
  check(['/a', '/'], [['/a', '/a', `${site}/`]], ['/a'])
  check(['/a'], [['/a', '/a', 'https://other.org/a']], ['/a'])
})

test('of two that name each other one is read', () => {
  const both: [string, string, string][] = [
    ['/v1/a', '/v1/a', `${site}/v2/a`],
    ['/v2/a', '/v2/a', `${site}/v1/a`],
  ]
  check(['/v1/a', '/v2/a'], both, ['-it is the page at /v2/a', '/v2/a'])
})

test('an address is taken once', () => {
  const duplicates = openDuplicates([], null)
  expect([duplicates.take('a'), duplicates.take('a'), duplicates.take('b')]).toEqual([
    true,
    false,
    true,
  ])
})
