import { expect, test } from 'bun:test'
import { entryChunks, type EntryChunking } from '../../../src/memory/index/entry-chunks.ts'

/** Expects chunks as `first-last text`. */
function check(
  text: string,
  expected: string[],
  options: { path?: string; chunking?: EntryChunking; firstLine?: number } = {},
): void {
  const { path = 'MEMORY.md', chunking = { tokens: 8, overlap: 0 }, firstLine } = options
  const chunks = entryChunks({ path, text, firstLine }, chunking)
  expect(chunks.map(({ startLine, endLine, text }) => `${startLine}-${endLine} ${text}`)).toEqual(
    expected,
  )
}

test('weaknesses 26 and 27: one entry with tags and fences is one chunk', () => {
  const entry = '## 2026-01-01 10:00\n\n#one #two\nfact\n\n```sh\n# no heading\n```'
  check(
    `# Memory\n\n${entry}\n\n## 2026-01-02 10:00\n\nother\n`,
    [`3-10 ${entry}`, '12-14 ## 2026-01-02 10:00\n\nother'],
    { chunking: { tokens: 400, overlap: 80 } },
  )
})

test('splits a long entry between lines and keeps line numbers', () => {
  check('## a\n\nfirst line of text\nsecond line of text\nthird', [
    '1-3 ## a\n\nfirst line of text',
    '4-5 second line of text\nthird',
  ])
})

test('weakness 28: splits a long line, and later lines keep their numbers', () => {
  const long = 'word '.repeat(12).trim()
  check(`## a\n\n${long}\nnext`, [
    '1-1 ## a',
    '3-3 word word word word word word',
    '3-3 word word word word word word',
    '4-4 next',
  ])
})

test('never splits a surrogate pair', () => {
  const parts = entryChunks(
    { path: 'a.md', text: 'x' + '😀'.repeat(40) },
    { tokens: 8, overlap: 0 },
  )
  expect(parts.map(({ text }) => text).join('')).toBe('x' + '😀'.repeat(40))
  expect(parts.every(({ text }) => text.isWellFormed())).toBe(true)
})

test('weakness 29: an overlap of a whole chunk or more loses nothing and terminates', () => {
  const lines = Array.from({ length: 9 }, (_, i) => `line number ${i}`)
  for (const overlap of [8, 100]) {
    const chunks = entryChunks({ path: 'a.md', text: lines.join('\n') }, { tokens: 8, overlap })
    const seen = new Set(chunks.flatMap(({ text }) => text.split('\n')))
    expect([...seen]).toEqual(lines)
  }
})

test('repeats lines within an entry, never across entries', () => {
  const text = '## a\none line of it\nanother of it\nthe third of it\n\n## b\nshort'
  const chunks = entryChunks({ path: 'a.md', text }, { tokens: 8, overlap: 4 })
  const last = chunks.at(-1)!
  expect([last.text, chunks.filter(({ text }) => text.includes('another')).length]).toEqual([
    '## b\nshort',
    2,
  ])
})

test('RELATIONS.md: makes each line a chunk and skips comments and headings', () => {
  check(
    '# Relations\n\n<!-- x -->\n- [A] --is--> [B]\n- [C] --is--> [D]\n',
    ['4-4 - [A] --is--> [B]', '5-5 - [C] --is--> [D]'],
    { path: 'RELATIONS.md' },
  )
})

test('numbers appended lines as in the file, and dates them by the file name', () => {
  const text = '\n## 10:00\n\nfact\n'
  check(text, ['8-10 ## 10:00\n\nfact'], { path: 'daily/2026-01-02.md', firstLine: 7 })
  expect(entryChunks({ path: 'daily/2026-01-02.md', text })[0]).toMatchObject({
    date: '2026-01-02',
    time: '10:00',
  })
})
