import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import picomatch from 'picomatch'
import { parseGlob } from '../../../src/platform/text/glob.ts'
import { checkGrowth } from '../../support/pages/check-growth.ts'

const paths = ['a', 'a/b.md', 'a/c/b.md', 'a/c/[id].md', 'b.md', 'x{y}/z', 'q/(a|b)/c']

function check(glob: string, expected: string[]) {
  expect(paths.filter(parseGlob(glob).matches)).toEqual(expected)
}

test('matches stars, question marks and folders', () => {
  check('*.md', ['b.md'])
  check('**/*.md', ['a/b.md', 'a/c/b.md', 'a/c/[id].md', 'b.md'])
  check('a/**/b.md', ['a/b.md', 'a/c/b.md'])
  check('a/**', ['a', 'a/b.md', 'a/c/b.md', 'a/c/[id].md'])
  check('a*/**', ['a/b.md', 'a/c/b.md', 'a/c/[id].md'])
  check('?/?', ['a/c/b.md', 'a/c/[id].md'])
  check('**/c', ['a/c/b.md', 'a/c/[id].md', 'q/(a|b)/c'])
})

test('matches classes and braces', () => {
  check('[ab].md', ['b.md'])
  check('[!b]', ['a', 'a/b.md', 'a/c/b.md', 'a/c/[id].md', 'q/(a|b)/c'])
  check('[^a-p]*', ['x{y}/z', 'q/(a|b)/c'])
  check('{a/{b,x},b}.md', ['a/b.md', 'b.md'])
  check('{a..b}.md', ['b.md'])
  check('{a,b,}/b{,x}.md', ['a/b.md'])
  check('{a/**,x}', ['a', 'a/b.md', 'a/c/b.md', 'a/c/[id].md'])
})

test('matches literal special characters', () => {
  check('a/c/[id].md', ['a/c/[id].md'])
  check('a/c/\\[id\\].md', ['a/c/[id].md'])
  check('x{y}/*', ['x{y}/z'])
  check('x{/[/*', [])
  check('q/(a|b)/*', ['q/(a|b)/c'])
})

test('matches negated globs', () => {
  check('!a/**', ['b.md', 'x{y}/z', 'q/(a|b)/c'])
  check('!!a/*.md', ['a/b.md'])
})

test('returns the folder before the pattern', () => {
  function check(typed: string, base: string, isGlob = true) {
    expect(parseGlob(typed)).toMatchObject({ base, isGlob })
  }
  check('a/b', 'a/b', false)
  check('a/b{c}[/d', 'a/b{c}[/d', false)
  check('a/b/*.md', 'a/b')
  check('a/b{c,d}/e', 'a')
  check('**/x', '')
})

describe('agrees with picomatch', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    'B',
    'c',
    '.md',
    '-',
    '*',
    '?',
    '[ab]',
    '[a-c]',
    '[^a]',
    '{a,*b}',
  )
  const name = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''))
  const glob = fc
    .array(fc.oneof(name, name, fc.constant('**')), { minLength: 1, maxLength: 4 })
    .map((names) => names.join('/'))
    // Two stars inside a name count as one star. picomatch does not follow this before a brace.
    .filter((typed) => typed.split('{').length <= 8 && !/[^/]\*\*|\*\*[^/]/.test(typed))
  const file = fc
    .array(fc.constantFrom('a', 'b', 'c', 'A', '.md', '-', 'ab'), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join(''))
  const path = fc.array(file, { minLength: 1, maxLength: 4 })

  test.each([false, true])('in case-insensitive mode %p', (anyCase) => {
    fc.assert(
      fc.property(glob, fc.array(path, { minLength: 5 }), (typed, files) => {
        const theirs = picomatch(typed, { dot: true, nocase: anyCase })
        const ours = parseGlob(typed, { anyCase })
        for (const names of files) {
          const above = names.map((_, at) => names.slice(0, at + 1).join('/'))
          const held = above.some((one) => theirs(one))
          expect([names, ours.matches(above.at(-1)!)]).toEqual([names, held])
        }
        expect(ours.base).toBe(picomatch.scan(typed).base)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('hostile globs', () => {
  const pages = Array.from(
    { length: 20_000 },
    (_, i) => `docs/section-${i % 40}/${(i ** 5).toString(36)}-${(i ** 7).toString(36)}.md`,
  )
  const letters = [...'abcdefghijklmnopqrstuvwxyz']

  test.each(
    [
      `**/${'*e'.repeat(400)}`,
      '**/'.repeat(300),
      `*${[...'aeioutnr'.repeat(3)].join('*')}*zz`,
      '*-'.repeat(400),
      '[a-z]*'.repeat(100),
      `**/{${letters.slice(0, 5).map((letter) => `*${letter}`)}}*zz`,
      '{a,'.repeat(250),
    ].map((typed) => [typed.slice(0, 20), typed]),
  )('matches in bounded time: %s', async (_, typed) => {
    await checkGrowth(
      (length) => typed!.slice(0, length),
      (glob) => {
        const { matches: holds } = parseGlob(glob)
        return pages.filter(holds).length
      },
      { length: 1000, floorMs: 2000 },
    )
  })

  test('matches a long path in bounded time', async () => {
    const { matches: holds } = parseGlob(`**/${'*a'.repeat(100)}b`)
    await checkGrowth((length) => 'a'.repeat(length), holds)
  })

  test('rejects a glob that can match in too many ways', () => {
    function check(typed: string, message: string) {
      expect(() => pages.filter(parseGlob(typed).matches)).toThrow(message)
    }
    check('{*,**}'.repeat(20), 'limit is 256 spellings')
    check('a'.repeat(1001), 'Cannot use a glob of 1001 characters: limit is 1000')
    check(`**/{${letters.map((letter) => `*${letter}${'?'.repeat(20)}`)}}zz`, 'in too many ways')
  })
})
