import { expect, test } from 'bun:test'
import { htmlHead, scriptMark } from '../../../src/source/web/html-head.ts'
import { linksOf } from '../../../src/source/web/llms-file.ts'
import { releaseOf } from '../../../src/version/release.ts'
import { checkGrowth } from '../../support/pages/check-growth.ts'

const base = 'https://a.example/x'

test('tags count outside of comments', () => {
  const html =
    '<html lang=de><head><!-- <link rel=canonical href=/no> --><link rel="canonical" ' +
    'title="a > b" href="/yes"><!-- open <link rel=alternate type=text/markdown href=/y.md></head>'
  const { canonical, markdown, language } = htmlHead(html, base)
  expect([canonical?.pathname, markdown?.pathname, language]).toEqual(['/yes', '/y.md', 'de'])
})

test.each([
  '<!--',
  '<link ',
  '<link "',
  "<meta '",
  '<html a=',
  '<noscript>enable ',
  '<body> ',
  ' ',
])('a head of %p', async (piece) => {
  const text = (length: number) => `<div id="root" ${piece.repeat(length / piece.length)}`
  await checkGrowth(text, (html) => [htmlHead(html, base), scriptMark(html)], { floorMs: 500 })
})

test.each(['- [', '[', '[a', '[[a]', '[a](', '\t'])('a list of %p', async (piece) => {
  const text = (length: number) => `- ${piece.repeat(length / piece.length)}\u2028\n`
  await checkGrowth(text, (list) => linksOf(list, base))
  await checkGrowth(
    (length) => `${text(2000)}`.repeat(length / 2000),
    (list) => linksOf(list, base),
  )
})

test('no release has a name of a megabyte', async () => {
  await checkGrowth((length) => `${'0.'.repeat(length / 2)}\n`, releaseOf)
})
