import { expect, test } from 'bun:test'
import { openDuplicates } from '../../../src/source/web/duplicates.ts'

const site = 'https://x.org'
const listed = (path: string) => ({ url: site + path, lastmod: null, language: null })

type Found = [own: string, path: string, canonical: string | null]

/** Expects each place as its path, or as `-` and the reason to skip it. */
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

test('skips a page in favour of its listed canonical URL', () => {
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

test('ignores a canonical URL that cannot be right', () => {
  check(['/a', '/'], [['/a', '/a', `${site}/`]], ['/a'])
  check(['/a'], [['/a', '/a', 'https://other.org/a']], ['/a'])
})

test('reads one of two pages that declare each other canonical', () => {
  const both: [string, string, string][] = [
    ['/v1/a', '/v1/a', `${site}/v2/a`],
    ['/v2/a', '/v2/a', `${site}/v1/a`],
  ]
  check(['/v1/a', '/v2/a'], both, ['-it is the page at /v2/a', '/v2/a'])
})

test('reserves a URL only once', () => {
  const duplicates = openDuplicates([], null)
  expect([duplicates.reserve('a'), duplicates.reserve('a'), duplicates.reserve('b')]).toEqual([
    true,
    false,
    true,
  ])
})
