import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Chunk, ChunkOptions } from '../../src/chunk/chunk.ts'
import { chunkPage, embeddedText } from '../../src/chunk/chunk.ts'
import { indexLines } from '../../src/chunk/line.ts'
import type { Section } from '../../src/chunk/section.ts'
import { ownBodyEnd, sectionTree } from '../../src/chunk/section.ts'
import { countWords } from '../support/count-words.ts'
import { anyText, blocks, plainBlocks } from '../support/pages/random-page.ts'
import { headings, type Markup } from '../../src/document/headings.ts'

const countBytes = (text: string) => Buffer.byteLength(text)

function chunks(text: string, options: Partial<ChunkOptions> & { markup?: Markup } = {}): Chunk[] {
  const { markup = 'markdown', ...rest } = options
  const page = { text, markup, title: 'Page', path: 'page' }
  return chunkPage(page, { countTokens: countWords, ...rest })
}

/** Checks the heading path and the trimmed text of each chunk. */
function check(name: string, text: string | string[], expected: string[][], options = {}) {
  test(name, () => {
    const page = Array.isArray(text) ? text.join('\n\n') : text
    const found = chunks(page, options)
    expect(found.map((chunk) => [chunk.headings.join(' > '), chunk.text.trim()])).toEqual(expected)
    expectTiles(page, found)
  })
}

function expectTiles(text: string, found: Chunk[]) {
  expect(found.map((chunk) => chunk.text).join('')).toBe(text.trim() === '' ? '' : text)
  let at = 0
  for (const [index, chunk] of found.entries()) {
    expect(chunk.chunkIndex).toBe(index)
    expect(chunk.start).toBe(at)
    expect(chunk.text).toBe(text.slice(chunk.start, chunk.end))
    expect(chunk.text.trim()).not.toBe('')
    expect(splitsPair(text, chunk.end)).toBe(false)
    expectLines(text, chunk)
    at = chunk.end
  }
}

function expectLines(text: string, chunk: Chunk) {
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length
  const visible = chunk.text.replace(/\n+$/, '')
  expect(chunk.startLine).toBe(lineOf(chunk.start))
  expect(chunk.endLine).toBe(lineOf(chunk.start + visible.length))
}

function splitsPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1))
}

function expectBudget(found: Chunk[], options: ChunkOptions) {
  const { chunkChars = 1800, maxTokens = 512, countTokens } = options
  for (const chunk of found) {
    expect(countTokens(embeddedText({ title: 'Page' }, chunk)) + 2).toBeLessThanOrEqual(maxTokens)
    expect(chunk.text.trim().length).toBeLessThanOrEqual(Math.max(2, chunkChars * 1.25))
  }
}

const sizes = fc.record({
  chunkChars: fc.integer({ min: 60, max: 1800 }),
  maxTokens: fc.integer({ min: 240, max: 512 }),
  countTokens: fc.constantFrom(countWords, countBytes),
})

const words = (count: number) => Array.from({ length: count }, (_, i) => `w${i}`).join(' ')

describe('headings', () => {
  check(
    'creates one chunk for a page that fits, under its only outermost heading',
    ['# A', 'Text.', '## B', 'More.'],
    [['A', '# A\n\nText.\n\n## B\n\nMore.']],
  )
  check(
    'leaves the path empty if there are several outermost headings',
    ['# A', 'Text.', '# B'],
    [['', '# A\n\nText.\n\n# B']],
  )
  check('creates no chunk for a blank page', '\n  \n\u00a0\n', [])
  check('creates no chunk for an empty page', '', [])
  check(
    'cuts children separately if they do not fit together',
    ['# A', words(9), '## B', words(9), '### C', words(2), '## D', words(9)],
    [
      ['A', `# A\n\n${words(9)}`],
      ['A > B', `## B\n\n${words(9)}\n\n### C\n\n${words(2)}`],
      ['A > D', `## D\n\n${words(9)}`],
    ],
    { chunkChars: 60 },
  )
  check(
    'gives text above the first heading no path',
    [words(9), '# A', words(9)],
    [
      ['', words(9)],
      ['A', `# A\n\n${words(9)}`],
    ],
    { chunkChars: 40 },
  )
  check(
    'joins headings without text with the first chunk below',
    ['# A', '## B', '### C', words(9), '### D', words(9)],
    [
      ['A > B > C', `# A\n\n## B\n\n### C\n\n${words(9)}`],
      ['A > B > D', `### D\n\n${words(9)}`],
    ],
    { chunkChars: 45 },
  )
  check(
    'joins a label with the heading below it',
    ['# A', words(9), '(b)=\n## B', words(9)],
    [
      ['A', `# A\n\n${words(9)}`],
      ['A > B', `(b)=\n## B\n\n${words(9)}`],
    ],
    { chunkChars: 40 },
  )
  check(
    'does not treat a # in a fence as a heading',
    ['# A', '```sh\n# B\n```'],
    [['A', '# A\n\n```sh\n# B\n```']],
  )
})

describe('blocks', () => {
  check(
    'packs blocks from the end of the section',
    ['# A', words(5), words(5), words(5)],
    [
      ['A', `# A\n\n${words(5)}`],
      ['A', `${words(5)}\n\n${words(5)}`],
    ],
    { chunkChars: 35 },
  )
  check(
    'keeps a fence whole beyond chunkChars',
    [words(5), `\`\`\`\n${words(9)}\n\`\`\``],
    [
      ['', words(5)],
      ['', `\`\`\`\n${words(9)}\n\`\`\``],
    ],
    { chunkChars: 30 },
  )
  check(
    'cuts a much longer fence between its lines',
    `\`\`\`\n${'let a = 1\n'.repeat(9)}\`\`\``,
    [
      ['', '```\nlet a = 1'],
      ['', 'let a = 1\n'.repeat(4).trim()],
      ['', `${'let a = 1\n'.repeat(4)}\`\`\``],
    ],
    { chunkChars: 45 },
  )
  check(
    'keeps a lead-in with its list',
    [words(7), 'For example:', '- a\n- b'],
    [
      ['', words(7)],
      ['', 'For example:\n\n- a\n- b'],
    ],
    { chunkChars: 24 },
  )
  check(
    'joins a short remainder at the top with the chunk below',
    ['A.', words(30)],
    [['', `A.\n\n${words(30)}`]],
    { chunkChars: 110 },
  )
  check(
    'cuts a long line after sentences, then words',
    `${words(6)}. ${words(9)}`,
    [
      ['', `${words(6)}.`],
      ['', words(9)],
    ],
    { chunkChars: 30 },
  )
  check(
    'cuts a long word between code points',
    '😀'.repeat(9),
    [
      ['', '😀😀😀'],
      ['', '😀😀😀'],
      ['', '😀😀😀'],
    ],
    { chunkChars: 7 },
  )
})

describe('overlap', () => {
  const parts = ['# A', words(20), words(20), '# B', words(20)]
  const text = parts.join('\n\n')

  test('starts an overlap at a word, and only within the same section', () => {
    const found = chunks(text, { chunkChars: 90, overlapChars: 20 })
    const back = found.map((chunk, index) => text.slice(chunk.start, found[index - 1]?.end ?? 0))
    expect(back.map((overlap) => overlap.trim())).toEqual(['', 'w16 w17 w18 w19', ''])
  })
})

test('names the page in the error if not even one character fits', () => {
  expect(() => chunks('# A\n\ntext', { maxTokens: 3 })).toThrow('Cannot cut page "page"')
})

describe('pages in property tests', () => {
  const markup = fc.constantFrom<Markup>('markdown', 'text')
  const pages = fc.oneof(
    anyText,
    blocks.map((parts) => parts.join('\n\n')),
  )

  test('divides any page into chunks that cover it and fit the budget', () => {
    fc.assert(
      fc.property(pages, markup, sizes, (text, markup, options) => {
        const found = chunks(text, { ...options, markup })
        expectTiles(text, found)
        expectBudget(found, options)
      }),
      { numRuns: 400 },
    )
  })

  test('never exceeds chunkChars if no block is worth keeping whole', () => {
    const line = fc.string({ unit: 'binary', minLength: 300, maxLength: 3000, size: 'max' })
    fc.assert(
      fc.property(line, (line) => {
        const text = `Text${line.replace(/[\s|<>:#=`~\-+*.]/g, ' ')}`
        // The first chunk may include a short remainder above it.
        for (const chunk of chunks(text, { chunkChars: 100, markup: 'text' }).slice(1)) {
          expect(chunk.text.trim().length).toBeLessThanOrEqual(100)
        }
      }),
      { numRuns: 100 },
    )
  })

  test('covers a page in order and within the token budget if chunks overlap', () => {
    const overlap = fc.integer({ min: 1, max: 400 })
    fc.assert(
      fc.property(pages, sizes, overlap, (text, options, overlapChars) => {
        const found = chunks(text, { ...options, overlapChars })
        let end = 0
        for (const chunk of found) {
          expect(chunk.start).toBeLessThanOrEqual(end)
          expect(chunk.start).toBeGreaterThanOrEqual(end - overlapChars)
          expect(chunk.text).toBe(text.slice(chunk.start, chunk.end))
          expect(splitsPair(text, chunk.start)).toBe(false)
          end = chunk.end
        }
        expect(end).toBe(found.length === 0 ? 0 : text.length)
        for (const chunk of found) {
          const tokens = options.countTokens(embeddedText({ title: 'Page' }, chunk)) + 2
          expect(tokens).toBeLessThanOrEqual(options.maxTokens)
        }
      }),
      { numRuns: 200 },
    )
  })
})

describe('stability of chunks', () => {
  const inserted = 'Inserted paragraph of some more words.\n\n'
  const place = fc.nat()

  type Spot = { index: number; from: number }

  function expectUnchanged(parts: string[], spot: Spot, options: ChunkOptions) {
    const text = parts.join('\n\n')
    const offset = parts.slice(0, spot.index).join('\n\n').length + (spot.index === 0 ? 0 : 2)
    const before = chunks(text, options)
    const after = chunks(text.slice(0, offset) + inserted + text.slice(offset), options)
    // A paragraph inserted before a heading joins the text above it, never the chunk of the
    // heading.
    const isAbove = spot.index > 0 && parts[spot.index]!.startsWith('#')
    const reach = isAbove ? offset - 1 : offset
    const touched = before.find((chunk) => chunk.start <= reach && chunk.end > reach)
    const from = Math.max(offset, spot.from, touched?.end ?? 0)
    const kept = before.filter((chunk) => chunk.start >= from)
    const same = after.slice(after.length - kept.length)
    expect(same.map(({ text, headings }) => ({ text, headings }))).toEqual(
      kept.map(({ text, headings }) => ({ text, headings })),
    )
    const starts = kept.map((chunk) => chunk.start + inserted.length)
    expect(same.map((chunk) => chunk.start)).toEqual(starts)
  }

  /** Returns the end of the section body that contains the character before an offset. */
  function bodyEnd(text: string, offset: number): number {
    const lines = indexLines(text)
    let section: Section = sectionTree(lines, headings(text, 'markdown'))
    for (;;) {
      if (ownBodyEnd(section) >= offset) return ownBodyEnd(section)
      section = section.children.findLast((child) => child.start < offset)!
    }
  }

  test('an inserted paragraph leaves every chunk below its section unchanged', () => {
    fc.assert(
      fc.property(blocks, place, sizes, (parts, place, options) => {
        const index = place % parts.length
        const offset = parts.slice(0, index).join('\n\n').length + 2
        const from = index === 0 ? 0 : bodyEnd(parts.join('\n\n'), offset)
        expectUnchanged(parts, { index, from }, options)
      }),
      { numRuns: 300 },
    )
  })

  test('an inserted paragraph leaves every chunk below it unchanged, even in one long section', () => {
    fc.assert(
      fc.property(plainBlocks, place, sizes, (parts, place, options) => {
        const index = place % parts.length
        fc.pre(index === 0 || !parts[index - 1]!.startsWith('#'))
        expectUnchanged(parts, { index, from: 0 }, options)
      }),
      { numRuns: 300 },
    )
  })
})
