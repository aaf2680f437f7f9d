import { expect, test } from 'bun:test'
import fc from 'fast-check'
import robotsParser from 'robots-parser'
import { parseRobots } from '../../../src/source/web/robots-rules.ts'
import { checkGrowth } from '../../support/pages/check-growth.ts'

function check(text: string, allowed: string[], refused: string[]) {
  const { isAllowed } = parseRobots(text, 'og')
  expect(allowed.filter((path) => !isAllowed(path))).toEqual([])
  expect(refused.filter(isAllowed)).toEqual([])
}

test('applies the longest rule, and the allowing one of two equally long rules', () => {
  check('User-agent: *\nDisallow: /a\nAllow: /a/b', ['/', '/a/b', '/a/b/c'], ['/a', '/a/c', '/ab'])
  check('User-agent: *\nDisallow: /a\nAllow: /a', ['/a'], [])
})

test('matches stars and the dollar sign', () => {
  check(
    'User-agent: *\nDisallow: /*.pdf$\nDisallow: /x*y*z',
    ['/a.pdf?q', '/xy'],
    ['/a.pdf', '/xaybz'],
  )
  check('User-agent: *\nDisallow: /a*a$', ['/a'], ['/aa', '/aba'])
})

test('prefers the group for og to the group for all crawlers', () => {
  check(
    'User-agent: *\nDisallow: /\n\nUser-agent: OG/1.0\nUser-agent: x\nDisallow: /a',
    ['/b'],
    ['/a'],
  )
  check(
    'User-agent: og\nUser-agent: *\nDisallow: /a # why\nUser-agent: x\nDisallow: /b',
    ['/b'],
    ['/a'],
  )
})

test('compares escaped unreserved characters with themselves', () => {
  check(
    'User-agent: *\nDisallow: /%7Ea\nDisallow: /b~\nDisallow: /c%2D',
    ['/c%2F'],
    ['/~a', '/b%7E', '/c-'],
  )
})

test('compares URLs in any encoding', () => {
  check('User-agent: *\nDisallow: /ä\nDisallow: /%c3%b6', ['/a'], ['/%C3%A4', '/%c3%b6'])
})

test('reads the crawl delay', () => {
  expect(parseRobots('User-agent: *\nCrawl-delay: 3', 'og').crawlDelay).toBe(3)
  expect(parseRobots('User-agent: x\nCrawl-delay: 3', 'og').crawlDelay).toBeNull()
})

test('leaves out lines without changing the rules', () => {
  const path = fc
    .array(fc.constantFrom('a', 'b', '/', '.', '?', '%c3', 'é'), { maxLength: 8 })
    .map((parts) => `/${parts.join('')}`)
  const pattern = fc.array(fc.constantFrom('a', 'b', '/', '*', '$', '.', '%C3', 'é'), {
    maxLength: 7,
  })
  const line = fc.oneof(
    fc.constantFrom(
      'User-agent: *',
      'user-agent: og',
      'User-agent: other/2',
      'User-agent:',
      'Sitemap: /x',
      '# why',
      'Crawl-delay: 2',
      'Crawl-delay: x',
      'Disallow',
      '',
    ),
    fc
      .tuple(fc.constantFrom('Allow: /', 'Disallow: /', 'Disallow:', 'allow :'), pattern)
      .map(([key, parts]) => key + parts.join('')),
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), path, (lines, at) => {
      const text = ['User-agent: *', ...lines].join('\n')
      const theirs = robotsParser('https://a.example/robots.txt', text)
      const url = new URL(`https://a.example${at}`)
      const ours = parseRobots(text, 'og')
      expect(ours.isAllowed(url.pathname + url.search)).toBe(
        theirs.isAllowed(url.href, 'og') ?? true,
      )
      expect(ours.crawlDelay ?? undefined).toBe(theirs.getCrawlDelay('og') as number)
    }),
    { numRuns: 5000 },
  )
})

test('reads a file in linear time', async () => {
  const path = `/${'a'.repeat(200)}`
  const check = (rule: (length: number) => string) =>
    checkGrowth(rule, (text) => parseRobots(text, 'og').isAllowed(path))
  await check((length) => `User-agent: *\nDisallow: /${'*a'.repeat(length / 2)}$`)
  await check(
    (length) => `User-agent: *\n${`Disallow: /${'*a'.repeat(50)}b\n`.repeat(length / 100)}`,
  )
  await check((length) => 'User-agent: og\n'.repeat(length / 30) + 'Allow: /\n'.repeat(length / 20))
  await check((length) => 'User-agent: x\n'.repeat(length / 30) + 'Allow: /\n'.repeat(length / 20))
})
