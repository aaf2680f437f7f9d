import { expect, test } from 'bun:test'
import { htmlHead, saysNoindex } from '../../../src/source/web/html-head.ts'
import { parseLlmsLinks } from '../../../src/source/web/llms-txt.ts'
import { parseRelease } from '../../../src/version/release.ts'
import { checkGrowth } from '../../support/pages/check-growth.ts'
import { signOfScriptRendering } from '../../../src/source/web-document.ts'

const base = 'https://a.example/x'

test('ignores tags in comments', () => {
  const html =
    '<html lang=de><head><!-- <link rel=canonical href=/no> --><link rel="canonical" ' +
    'title="a > b" href="/yes"><!-- open <link rel=alternate type=text/markdown href=/y.md></head>'
  const { canonical, markdown, language } = htmlHead(html, base)
  expect([canonical?.pathname, markdown?.pathname, language]).toEqual(['/yes', '/y.md', 'de'])
})

test('reads the rules for all robots', () => {
  for (const rules of ['noindex', 'NoIndex, follow', 'nofollow,none', 'noindex, bot: index'])
    expect([rules, saysNoindex(rules)]).toEqual([rules, true])
  for (const rules of [
    '',
    'index, follow',
    'otherbot: noindex',
    'nofollow, otherbot: none',
    'max-image-preview:none',
    'noindexx',
  ])
    expect([rules, saysNoindex(rules)]).toEqual([rules, false])
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
])('reads a head of %p in linear time', async (piece) => {
  const text = (length: number) => `<div id="root" ${piece.repeat(length / piece.length)}`
  await checkGrowth(text, (html) => [htmlHead(html, base), signOfScriptRendering(html)], {
    floorMs: 500,
  })
})

test.each(['- [', '[', '[a', '[[a]', '[a](', '\t'])(
  'reads a list of %p in linear time',
  async (piece) => {
    const text = (length: number) => `- ${piece.repeat(length / piece.length)}\u2028\n`
    await checkGrowth(text, (list) => parseLlmsLinks(list, base))
    await checkGrowth(
      (length) => `${text(2000)}`.repeat(length / 2000),
      (list) => parseLlmsLinks(list, base),
    )
  },
)

test('reads a release name of a megabyte in linear time', async () => {
  await checkGrowth((length) => `${'0.'.repeat(length / 2)}\n`, parseRelease)
})
