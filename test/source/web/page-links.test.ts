import { expect, test } from 'bun:test'
import { pageLinks } from '../../../src/source/web/site-pages.ts'
import { cpuMs } from '../../support/pages/cpu-time.ts'

const base = 'https://x.org/docs/intro'

function check(text: string, expected: string[]): void {
  expect(pageLinks(text, base).map((link) => link.replace('https://x.org', ''))).toEqual(expected)
}

test('finds each link in HTML once, in order', () =>
  check(
    '<!doctype html><a href="b#x">B</a> <A HREF=\'/c?x=1&amp;y=2\'>C</A><a name=x><a href=b>again</a>' +
      '<area href="no"><a href="javascript:x()">J</a><a href="http://[">broken</a>',
    ['/docs/b', '/c?x=1&y=2'],
  ))

test('resolves links against the base URL of the page', () =>
  check('<html><head><base href="/v2/"></head><a href="a">A</a>', ['/v2/a']))

test('finds the links in Markdown', () =>
  check('# T\n\nSee [one](./one.md "title"), [two](<two>) and ![picture](p.png).\n\n[x]: three\n', [
    '/docs/one.md',
    '/docs/two',
  ]))

test('reads a page of unclosed tags in linear time', () => {
  const spentMs = cpuMs(() => {
    expect(pageLinks('<a href='.repeat(200_000), base)).toEqual([])
    expect(pageLinks('['.repeat(200_000), base)).toEqual([])
  })
  expect(spentMs).toBeLessThan(10_000)
})
